import { PatternError } from '../../../errors.ts';

/**
 * A pattern as Python's tokenizer reads it: one code point at a time, a backslash together with what follows it, and
 * one token ahead. Positions count code points.
 */
export interface PatternSource {
  /** The next token, undefined at the end. */
  readonly next: string | undefined;
  /** Where the next token starts. */
  readonly position: number;
  take(): string | undefined;
  /** Takes the next token if it is this one. */
  accept(token: string): boolean;
  /** Takes at most `count` tokens for as long as they belong to the set. */
  takeWhile(count: number, belongs: (token: string) => boolean): string;
  /** Takes what stands before a terminator, and the terminator. `what` is the name of the thing in an error. */
  takeUntil(terminator: string, what: string): string;
  seek(position: number): void;
  /** An error that happened `back` code points before the next token. */
  error(message: string, back?: number): PatternError;
  errorAt(message: string, position: number): PatternError;
}

export function patternSource(pattern: string): PatternSource {
  const characters = Array.from(pattern);
  let index = 0;
  let next: string | undefined;

  function errorAt(message: string, position: number): PatternError {
    return invalidPattern(`${message} at position ${position}${lineAndColumn(characters, position)}`, {
      pattern,
      position,
    });
  }

  function advance(): void {
    next = characters[index];
    if (next === undefined) return;
    if (next === '\\') {
      index++;
      const escaped = characters[index];
      if (escaped === undefined) throw errorAt('bad escape (end of pattern)', characters.length - 1);
      next += escaped;
    }
    index++;
  }

  const source: PatternSource = {
    get next() {
      return next;
    },
    get position() {
      return index - codePointLength(next ?? '');
    },
    take() {
      const taken = next;
      advance();
      return taken;
    },
    accept(token) {
      if (next !== token) return false;
      advance();
      return true;
    },
    takeWhile(count, belongs) {
      let taken = '';
      for (let left = count; left > 0 && next !== undefined && belongs(next); left--) taken += source.take();
      return taken;
    },
    takeUntil(terminator, what) {
      let taken = '';
      for (;;) {
        const token = source.take();
        if (token === undefined) {
          if (taken === '') throw source.error(`missing ${what}`);
          throw source.error(`missing ${terminator}, unterminated name`, codePointLength(taken));
        }
        if (token === terminator) break;
        taken += token;
      }
      if (taken === '') throw source.error(`missing ${what}`, 1);
      return taken;
    },
    seek(position) {
      index = position;
      advance();
    },
    error: (message, back = 0) => errorAt(message, source.position - back),
    errorAt,
  };
  advance();
  return source;
}

export function invalidPattern(message: string, context: Readonly<Record<string, unknown>>): PatternError {
  return new PatternError('invalid_pattern', message, { context });
}

/** A surrogate pair counts once, a lone surrogate too. */
export function codePointLength(text: string): number {
  let pairs = 0;
  for (let index = 1; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xdc00 && unit <= 0xdfff && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) pairs++;
  }
  return text.length - pairs;
}

/** Python's `repr` of a string, as its messages quote names. */
export function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = Array.from(text, (character) => {
    if (character === '\\' || character === mark) return `\\${character}`;
    const short = SHORT_ESCAPES[character];
    if (short !== undefined) return short;
    return character !== ' ' && /[\p{C}\p{Z}]/u.test(character) ? hexEscape(character) : character;
  }).join('');
  return `${mark}${inner}${mark}`;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function hexEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function lineAndColumn(characters: readonly string[], position: number): string {
  if (!characters.includes('\n')) return '';
  const before = characters.slice(0, position);
  const line = before.filter((character) => character === '\n').length + 1;
  return ` (line ${line}, column ${position - before.lastIndexOf('\n')})`;
}
