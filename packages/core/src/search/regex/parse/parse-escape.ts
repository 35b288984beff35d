import { PatternError } from '../../../errors.ts';
import { areCharacterNamesLoaded, characterNamed } from '../unicode/character-names.ts';
import { type Category, MAX_CODE_POINT } from '../unicode/character-set.ts';
import type { GroupRegister } from './parse-group.ts';
import type { PatternNode, Place, SetItem } from './pattern-node.ts';
import { codePointLength, type PatternSource, quote } from './pattern-source.ts';

/** An escape outside a character set. `token` is the token that was taken: a backslash and one character. */
export function parseEscape(source: PatternSource, token: string, groups: GroupRegister): PatternNode {
  const letter = token.slice(1);
  const place = PLACES[letter];
  if (place !== undefined) return { kind: 'at', place };
  const category = parseCategory(letter);
  if (category !== undefined) return { kind: 'set', negate: false, items: [category] };
  const code = CONTROL_ESCAPES[letter] ?? parseCodePoint(source, token, letter);
  if (code !== undefined) return { kind: 'literal', code };
  if (letter === '0') return { kind: 'literal', code: Number.parseInt(letter + source.takeWhile(2, isOctalDigit), 8) };
  return isDigit(letter) ? parseNumber(source, token, groups) : { kind: 'literal', code: otherEscape(source, token) };
}

/** An escape inside a character set, where `\b` is a backspace and numbers are always octal. */
function parseSetEscape(source: PatternSource, token: string): SetItem {
  const letter = token.slice(1);
  const category = parseCategory(letter);
  if (category !== undefined) return category;
  const code = letter === 'b' ? 0x08 : (CONTROL_ESCAPES[letter] ?? parseCodePoint(source, token, letter));
  if (code !== undefined) return { kind: 'literal', code };
  if (isOctalDigit(letter)) {
    return { kind: 'literal', code: octalCode(source, token + source.takeWhile(2, isOctalDigit)) };
  }
  if (isDigit(letter)) throw source.error(`bad escape ${token}`, 2);
  return { kind: 'literal', code: otherEscape(source, token) };
}

export function isDigit(token: string | undefined): boolean {
  return token !== undefined && token >= '0' && token <= '9' && token.length === 1;
}

const PLACES: Readonly<Record<string, Place>> = {
  A: 'text-start',
  Z: 'text-end',
  b: 'boundary',
  B: 'not-boundary',
};

const CATEGORIES: Readonly<Record<string, Category>> = {
  w: 'word',
  d: 'digit',
  s: 'space',
};

const CONTROL_ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
  '\\': 0x5c,
};

/** how many hexadecimal digits an escape has, exactly. */
const HEX_ESCAPES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function parseCategory(letter: string): SetItem | undefined {
  const category = CATEGORIES[letter.toLowerCase()];
  if (category === undefined) return undefined;
  return { kind: 'category', category, negate: CATEGORIES[letter] === undefined };
}

function parseCodePoint(source: PatternSource, token: string, letter: string): number | undefined {
  if (letter === 'N') return parseNamed(source);
  const length = HEX_ESCAPES[letter];
  if (length === undefined) return undefined;
  const digits = source.takeWhile(length, (token) => /^[0-9a-fA-F]$/.test(token));
  const whole = token + digits;
  if (digits.length !== length) throw source.error(`incomplete escape ${whole}`, whole.length);
  const code = Number.parseInt(digits, 16);
  if (code > MAX_CODE_POINT) throw source.error(`bad escape ${whole}`, whole.length);
  return code;
}

function parseNamed(source: PatternSource): number {
  if (!source.accept('{')) throw source.error('missing {');
  const name = source.takeUntil('}', 'character name');
  const code = characterNamed(name);
  if (code === undefined) {
    if (!areCharacterNamesLoaded()) {
      const problem = `The names of characters, for \\N{${name}}, are not loaded`;
      throw new PatternError('invalid_pattern', problem, { context: { name } });
    }
    throw source.error(`undefined character name ${quote(name)}`, codePointLength(name) + '\\N{}'.length);
  }
  return code;
}

/** `\1` to `\99` refer to a group, unless there are three octal digits. */
function parseNumber(source: PatternSource, token: string, groups: GroupRegister): PatternNode {
  let whole = token;
  if (isDigit(source.next)) {
    whole += source.take();
    if (isOctalDigit(whole.charAt(1)) && isOctalDigit(whole.charAt(2)) && isOctalDigit(source.next)) {
      return { kind: 'literal', code: octalCode(source, whole + source.take()) };
    }
  }
  const group = Number(whole.slice(1));
  if (group > groups.count) throw source.error(`invalid group reference ${group}`, whole.length - 1);
  if (!groups.isClosed(group)) throw source.error('cannot refer to an open group', whole.length);
  groups.checkReference(group, source);
  return { kind: 'backreference', group };
}

function octalCode(source: PatternSource, token: string): number {
  const code = Number.parseInt(token.slice(1), 8);
  if (code > 0o377) throw source.error(`octal escape value ${token} outside of range 0-0o377`, token.length);
  return code;
}

/** Anything but an ASCII letter stands for itself. */
function otherEscape(source: PatternSource, token: string): number {
  if (/^\\[a-zA-Z]$/.test(token)) throw source.error(`bad escape ${token}`, token.length);
  return token.codePointAt(1) ?? 0;
}

function isOctalDigit(token: string | undefined): boolean {
  return isDigit(token) && token !== '8' && token !== '9';
}

/** A set, after its `[` was taken. */
export function parseCharacterSet(source: PatternSource): PatternNode {
  const start = source.position - 1;
  const items = new Map<string, SetItem>();
  const add = (item: SetItem): void => {
    items.set(JSON.stringify(item), item);
  };
  const negate = source.accept('^');
  for (;;) {
    const token = takeMember(source, start);
    if (token === ']' && items.size > 0) break;
    const item = parseMember(source, token);
    if (!source.accept('-')) {
      add(item);
      continue;
    }
    const endToken = takeMember(source, start);
    if (endToken === ']') {
      add(item);
      add({ kind: 'literal', code: 0x2d });
      break;
    }
    const end = parseMember(source, endToken);
    if (item.kind !== 'literal' || end.kind !== 'literal' || end.code < item.code) {
      const back = codePointLength(token) + 1 + codePointLength(endToken);
      throw source.error(`bad character range ${token}-${endToken}`, back);
    }
    add({ kind: 'range', low: item.code, high: end.code });
  }
  const members = [...items.values()];
  const [only] = members;
  return only?.kind === 'literal' && members.length === 1 && !negate ? only : { kind: 'set', negate, items: members };
}

function takeMember(source: PatternSource, start: number): string {
  const token = source.take();
  if (token === undefined) throw source.errorAt('unterminated character set', start);
  return token;
}

function parseMember(source: PatternSource, token: string): SetItem {
  return token.startsWith('\\') ? parseSetEscape(source, token) : { kind: 'literal', code: token.codePointAt(0) ?? 0 };
}
