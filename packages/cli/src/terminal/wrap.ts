import { columnsOf, startOf } from './columns.ts';

export interface WrapOptions {
  /** Spaces before the first line. @default 0 */
  readonly indent?: number;
  /** Spaces before the other lines. @default the same */
  readonly hanging?: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are written with them.
const COLOURS = /\u001b\[\d+m/g;

/**
 * Breaks a text at its spaces; colours take no room. A word that is longer than a line gets its own, so that paths stay whole;
 * a word of a script without spaces is broken.
 */
export function wrap(text: string, width: number, { indent = 0, hanging = indent }: WrapOptions = {}): string {
  const lines: string[] = [];
  let line = '';
  const longest = width - Math.max(indent, hanging);
  for (const word of text.split(' ').flatMap((one) => breakWide(one, longest))) {
    const room = width - (lines.length === 0 ? indent : hanging);
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columnsOf(longer.replace(COLOURS, '')) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  return lines.map((one, index) => ' '.repeat(index === 0 ? indent : hanging) + one).join('\n');
}

function breakWide(word: string, longest: number): readonly string[] {
  // Two columns per character: without spaces, only the width says where such a text may break.
  if (columnsOf(word) <= longest || columnsOf(word) === [...word].length) return [word];
  const parts: string[] = [];
  for (let rest = word; rest !== ''; ) {
    const part = startOf(rest, Math.max(2, longest));
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
}
