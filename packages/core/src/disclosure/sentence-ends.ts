/**
 * Where sentences end in a text: behind `.`, `!` or `?` before a space, and behind their CJK kin. Not behind an abbreviation or an
 * initial, nor inside a bracket: `Sends mail (e.g. invoices) to U.S. customers.` is one sentence.
 */
export function sentenceEnds(text: string): readonly number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth = Math.max(0, depth - 1);
    else if (CJK_ENDS.has(character)) ends.push(at + 1);
    else if (depth === 0 && ENDS.has(character) && isSpace(text, at + 1) && !isAbbreviated(text, at)) ends.push(at + 1);
    // A bracket that is never closed must not hide every end.
    if (character === '\n') depth = 0;
  }
  return ends;
}

const OPENING: ReadonlySet<string> = new Set(['(', '[', '{']);
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);
const ENDS: ReadonlySet<string> = new Set(['.', '!', '?']);
const CJK_ENDS: ReadonlySet<string> = new Set(['。', '！', '？']);

function isSpace(text: string, at: number): boolean {
  return at < text.length && /\s/u.test(text[at] ?? '');
}

const MOST_CHARACTERS = 16;
const INITIALS = /(?:^|[\s([{"'])(?:(?:\p{L}\.)+\p{L}|\p{Lu})$/u;
const ALWAYS = /(?:^|[\s([{"'])(?:eg|ie|vs|cf|fig|dr|mr|mrs|ms|prof)$/iu;
const WITHIN = /(?:^|[\s([{"'])(?:etc|approx|incl|excl|esp|resp|max|min|no|nr|vol|inc|ltd|co|corp|st)$/iu;

/** Whether a full stop belongs to the word before it. `etc.` may also end a sentence, and then the next one begins with a capital. */
function isAbbreviated(text: string, at: number): boolean {
  if (text[at] !== '.') return false;
  const before = text.slice(Math.max(0, at - MOST_CHARACTERS), at);
  if (INITIALS.test(before) || ALWAYS.test(before)) return true;
  return WITHIN.test(before) && !/^\s+\p{Lu}/u.test(text.slice(at + 1, at + 4));
}
