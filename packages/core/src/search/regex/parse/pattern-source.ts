import { PatternError } from '../../../errors.ts';

/**
 * A pattern as Python's tokenizer reads it: one code point at a time, a backslash together with the next one, with one token of
 * look-ahead. Positions count code points.
 */
export class PatternSource {
  readonly #pattern: string;
  readonly #characters: readonly string[];
  #index = 0;
  #next: string | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#characters = Array.from(pattern);
    this.#advance();
  }

  /** The next token, undefined at the end. */
  get next(): string | undefined {
    return this.#next;
  }

  /** Where the next token starts. */
  get position(): number {
    return this.#index - codePointLength(this.#next ?? '');
  }

  take(): string | undefined {
    const taken = this.#next;
    this.#advance();
    return taken;
  }

  /** Takes the next token if it is this one. */
  accept(token: string): boolean {
    if (this.#next !== token) return false;
    this.#advance();
    return true;
  }

  /** Takes at most `count` tokens for as long as they belong to the set. */
  takeWhile(count: number, belongs: (token: string) => boolean): string {
    let taken = '';
    for (let left = count; left > 0 && this.#next !== undefined && belongs(this.#next); left--) taken += this.take();
    return taken;
  }

  /** Takes everything before a terminator, and the terminator. `what` names the construct in an error. */
  takeUntil(terminator: string, what: string): string {
    let taken = '';
    for (;;) {
      const token = this.take();
      if (token === undefined) {
        if (taken === '') throw this.error(`missing ${what}`);
        throw this.error(`missing ${terminator}, unterminated name`, codePointLength(taken));
      }
      if (token === terminator) break;
      taken += token;
    }
    if (taken === '') throw this.error(`missing ${what}`, 1);
    return taken;
  }

  seek(position: number): void {
    this.#index = position;
    this.#advance();
  }

  /** An error that happened `back` code points before the next token. */
  error(message: string, back = 0): PatternError {
    return this.errorAt(message, this.position - back);
  }

  errorAt(message: string, position: number): PatternError {
    const [pattern, place] = [this.#pattern, lineAndColumn(this.#characters, position)];
    return invalidPattern(`${message} at position ${position}${place}`, { pattern, position });
  }

  #advance(): void {
    this.#next = this.#characters[this.#index];
    if (this.#next === undefined) return;
    if (this.#next === '\\') {
      this.#index++;
      const escaped = this.#characters[this.#index];
      if (escaped === undefined) throw this.errorAt('bad escape (end of pattern)', this.#characters.length - 1);
      this.#next += escaped;
    }
    this.#index++;
  }
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
