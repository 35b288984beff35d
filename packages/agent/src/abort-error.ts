/** Thrown to the reader of an aborted query. */
export class AbortError extends Error {
  override readonly name: string = 'AbortError';

  constructor(message = 'The query was aborted', options: { readonly cause?: unknown } = {}) {
    super(message, options);
  }
}
