/** How many columns a terminal uses for a text: two for a wide character, none for a combining mark. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/** The longest start of a text that fits into a number of columns. */
export function startOf(text: string, columns: number): string {
  let [taken, length] = [0, 0];
  for (const character of text) {
    taken += columnsOfCharacter(character);
    if (taken > columns) break;
    length += character.length;
  }
  return text.slice(0, length);
}

function columnsOfCharacter(character: string): number {
  return WIDE.test(character) ? 2 : UNSEEN.test(character) ? 0 : 1;
}

const PLAIN = /^[\u0020-\u007e]*$/;
const UNSEEN = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** East Asian Wide and Fullwidth of Unicode's EastAsianWidth.txt, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
