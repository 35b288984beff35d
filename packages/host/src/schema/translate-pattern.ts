/** The characters of ECMAScript's `\s`, ranges in ascending order. */
const SPACES: readonly (readonly [number, number])[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LAST_CODE_POINT = 0x10ffff;

/**
 * Rewrites a pattern of JSON Schema (ECMAScript with the `u` flag) into Python's syntax, which our engine reads, to be
 * compiled with the flag `a` (`\d`, `\w` and `\b` are ASCII in ECMAScript).
 *
 * | ECMAScript            | Python                                   |
 * |-----------------------|------------------------------------------|
 * | `$`                   | `\Z`: `$` also matches before a last `\n` |
 * | `.`                   | every character but four line ends       |
 * | `\s`, `\S`            | a set: wider than ASCII                  |
 * | `\B`                  | `(?!\b)`: also true in an empty text     |
 * | `(?<name>`            | `(?P<name>`                              |
 * | `\u{1f600}`, pairs    | `\U0001f600`                             |
 * | `\cJ`, `\0`           | `\x0a`, `\x00`                           |
 * | `[]`, `[^]`           | nothing, anything                        |
 *
 * Undefined for what has no equivalent there or is not ECMAScript at all (`\p{…}`, back-references, lone surrogates, inline
 * flags): such a pattern is not checked, rather than checked wrongly.
 */
export function translatePattern(pattern: string): string | undefined {
  let out = '';
  let position = 0;
  while (position < pattern.length) {
    const piece = translateNext(pattern, position);
    if (piece === undefined) return undefined;
    out += piece.text;
    position += piece.length;
  }
  return out;
}

interface Piece {
  readonly text: string;
  /** How much of the pattern it represents. */
  readonly length: number;
}

function translateNext(pattern: string, position: number): Piece | undefined {
  const character = pattern[position] ?? '';
  if (character === '\\') return translateEscape(pattern, position, false);
  if (character === '[') return translateClass(pattern, position);
  if (character === '$') return { text: '\\Z', length: 1 };
  if (character === '.') return { text: '[^\\n\\r\\u2028\\u2029]', length: 1 };
  if (character === '{' && !/^\{\d+(,\d*)?\}/.test(pattern.slice(position, position + 32))) return undefined;
  if (character === '(' && pattern[position + 1] === '?') return translateGroup(pattern, position);
  if (/[*+?}]/.test(character) && pattern[position + 1] === '+') return undefined;
  return { text: character, length: 1 };
}

function translateGroup(pattern: string, position: number): Piece | undefined {
  const opening = /^\(\?(?:[:=!]|<[=!])/.exec(pattern.slice(position, position + 4))?.[0];
  if (opening !== undefined) return { text: opening, length: opening.length };
  const named = /^\(\?<([A-Za-z_]\w*)>/.exec(pattern.slice(position, position + 128));
  return named === null ? undefined : { text: `(?P<${named[1]}>`, length: named[0].length };
}

function translateClass(pattern: string, start: number): Piece | undefined {
  const isNegated = pattern[start + 1] === '^';
  let position = start + (isNegated ? 2 : 1);
  let out = isNegated ? '[^' : '[';
  if (pattern[position] === ']') {
    return { text: isNegated ? `[\\x00-${escapeCodePoint(LAST_CODE_POINT)}]` : '(?!)', length: position + 1 - start };
  }
  while (position < pattern.length && pattern[position] !== ']') {
    const character = pattern[position] ?? '';
    const piece =
      character === '\\'
        ? translateEscape(pattern, position, true)
        : { text: /[[&~|^]/.test(character) ? `\\${character}` : character, length: 1 };
    if (piece === undefined) return undefined;
    out += piece.text;
    position += piece.length;
  }
  return position < pattern.length ? { text: `${out}]`, length: position + 1 - start } : undefined;
}

function translateEscape(pattern: string, position: number, inClass: boolean): Piece | undefined {
  const letter = pattern[position + 1] ?? '';
  if (letter === 's') return { text: inClass ? SPACE_SET : `[${SPACE_SET}]`, length: 2 };
  if (letter === 'S') return { text: inClass ? NO_SPACE_SET : `[${NO_SPACE_SET}]`, length: 2 };
  if (letter === 'B') return inClass ? undefined : { text: '(?!\\b)', length: 2 };
  if (/[dDwWbtnrfv]/.test(letter)) return { text: `\\${letter}`, length: 2 };
  if (letter === '0') return /\d/.test(pattern[position + 2] ?? '') ? undefined : { text: '\\x00', length: 2 };
  if (letter === 'c') return translateControl(pattern, position);
  if (letter === 'x' || letter === 'u') return translateCodePoint(pattern, position);
  if (letter === '' || /[A-Za-z0-9]/.test(letter)) return undefined;
  return letter.charCodeAt(0) < 0x80 ? { text: `\\${letter}`, length: 2 } : undefined;
}

function translateControl(pattern: string, position: number): Piece | undefined {
  const letter = pattern[position + 2] ?? '';
  return /[A-Za-z]/.test(letter) ? { text: escapeCodePoint(letter.charCodeAt(0) % 32), length: 3 } : undefined;
}

function translateCodePoint(pattern: string, position: number): Piece | undefined {
  const rest = pattern.slice(position, position + 12);
  const pair = /^\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/i.exec(rest);
  const text =
    pair === null
      ? /^\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\})/i.exec(rest)
      : String.fromCharCode(Number.parseInt(pair[1] ?? '', 16), Number.parseInt(pair[2] ?? '', 16));
  if (text === null) return undefined;
  if (typeof text === 'string') return { text: escapeCodePoint(text.codePointAt(0) ?? 0), length: 12 };
  const codePoint = Number.parseInt(text[1] ?? text[2] ?? text[3] ?? '', 16);
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  if (isSurrogate || codePoint > LAST_CODE_POINT) return undefined;
  return { text: escapeCodePoint(codePoint), length: text[0].length };
}

function escapeCodePoint(codePoint: number): string {
  return `\\U${codePoint.toString(16).padStart(8, '0')}`;
}

function setOf(ranges: readonly (readonly [number, number])[]): string {
  return ranges.map(([first, last]) => `${escapeCodePoint(first)}-${escapeCodePoint(last)}`).join('');
}

const SPACE_SET = setOf(SPACES);
const NO_SPACE_SET = setOf(
  [...SPACES, [LAST_CODE_POINT + 1, LAST_CODE_POINT + 1] as const].map(([first], index) => {
    const before = SPACES[index - 1];
    return [before === undefined ? 0 : before[1] + 1, first - 1] as const;
  }),
);
