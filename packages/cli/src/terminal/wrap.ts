export interface WrapOptions {
  /** Spaces before the first line. @default 0 */
  readonly indent?: number;
  /** Spaces before the others. @default as the first */
  readonly hanging?: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are written with them.
const COLOURS = /\u001b\[\d+m/g;

/** Breaks a text at its spaces; colours take no room. A word that is longer than a line has one to itself. */
export function wrap(text: string, width: number, { indent = 0, hanging = indent }: WrapOptions = {}): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const room = width - (lines.length === 0 ? indent : hanging);
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && [...longer.replace(COLOURS, '')].length > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  return lines.map((one, index) => ' '.repeat(index === 0 ? indent : hanging) + one).join('\n');
}
