/** Every error code of the store. */
export type StoreErrorCode =
  /** The file can't be opened, the server can't be reached or rejects the connection, or the tables can't be created. */
  | 'unreachable'
  /** The database has become unavailable: connections are lost or refused, it does not respond in time, or its file is locked. Try again. */
  | 'unavailable'
  /** There is no space left to write. */
  | 'full'
  /** The tables were created by a newer version of this program. */
  | 'newer_schema'
  /** A name is empty or too long, or a value is out of its range. */
  | 'invalid_value'
  /** Tokens can't be stored because no encryption key is configured, or it is invalid. */
  | 'no_encryption_key'
  /** A value can't be decrypted: it was encrypted with another key, or has been changed. */
  | 'undecipherable';

/** The store can't do what it was asked. The database's own error is the `cause`. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
