import { StoreError } from '../store-error.ts';
import type { Row } from './sql.ts';

/** PostgreSQL keeps at most 2,704 bytes in an index row, and a UTF-16 unit takes up to three. */
export const MOST_NAME_CHARACTERS = 512;

/**
 * Outside text in a form that a column can store. Neither database accepts a NUL, and all lone surrogates would become U+FFFD, which
 * would make different names equal. They are written as U+E000 and four hexadecimal digits, and so is U+E000 itself. All other text
 * is unchanged.
 */
export function encodeText(text: string): string {
  return text.replace(UNSTORABLE, (unit) => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** The same for a text that may be missing. */
export function encodeGiven(text: string | undefined): string | undefined {
  return text === undefined ? undefined : encodeText(text);
}

/** Outside text, as it was before it was encoded. */
export function decodedOf(row: Row, column: string): string {
  return textOf(row, column).replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The same, or undefined if the column is null. */
export function optionalDecodedOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : decodedOf(row, column);
}

/** A name that is part of a key; `what` names it in the message. */
export function encodeName(name: string, what: string): string {
  if (name === '' || name.length > MOST_NAME_CHARACTERS) {
    const problem = name === '' ? 'is empty' : `has ${name.length} characters`;
    throw new StoreError(
      'invalid_value',
      `The ${what} ${problem}; allowed are 1 to ${MOST_NAME_CHARACTERS} characters`,
    );
  }
  return encodeText(name);
}

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw wrong(column, value);
}

export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw wrong(column, value);
}

/** A number, or undefined if the column is null. */
export function optionalNumberOf(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberOf(row, column);
}

/** libsql returns an `ArrayBuffer`, pg a `Buffer`. */
export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  throw wrong(column, value);
}

function wrong(column: string, value: unknown): TypeError {
  return new TypeError(
    `The column ${column} holds a value of type ${typeof value}, which this version does not expect`,
  );
}

const ESCAPE = '\uE000';
const UNSTORABLE = /[\0\uE000\p{Surrogate}]/gu;
const ESCAPED = /\uE000([0-9a-f]{4})/g;
