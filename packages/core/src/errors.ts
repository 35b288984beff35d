/** Every code that an error of this package can carry, in one place. */
export type ErrorCode =
  | 'invalid_tool'
  | 'duplicate_tool'
  | 'too_many_tools'
  | 'unknown_tool'
  | 'unsupported_tool'
  | 'unknown_format'
  | 'invalid_policy'
  | 'invalid_name_template'
  | 'invalid_pattern'
  | 'pattern_too_long'
  | 'query_too_long'
  | 'out_of_budget'
  | 'invalid_limit'
  | 'invalid_setting'
  | 'invalid_index'
  | 'invalid_request'
  | 'unsupported_request'
  | 'upstream_failed';

/** The base of every error that Quartermaster throws on purpose: a literal code, and the facts of the case in `context`. */
export class QuartermasterError extends Error {
  override readonly name: string = 'QuartermasterError';
  readonly code: ErrorCode;
  readonly context: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.context = options.context ?? {};
  }
}

/** What an error may carry besides its code and its message. */
export interface ErrorDetails {
  readonly cause?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** A tool definition, a policy or a whole catalog can't be taken as it is. */
export class CatalogError extends QuartermasterError {
  override readonly name: string = 'CatalogError';
}

/** A regular expression can't be compiled, or can't be answered within its budget. */
export class PatternError extends QuartermasterError {
  override readonly name: string = 'PatternError';
}

/** A search can't be asked this. */
export class QueryError extends QuartermasterError {
  override readonly name: string = 'QueryError';
}

/** A setting has a value that is not allowed. */
export class SettingError extends QuartermasterError {
  override readonly name: string = 'SettingError';
}

/** A client's request can't be served: it is malformed (`invalid_request`), or asks for what tool search can't do (`unsupported_request`). */
export class RequestError extends QuartermasterError {
  override readonly name: string = 'RequestError';
}

/** The upstream refused, broke off, or answered with what can't be read. Not the client's doing. */
export class UpstreamError extends QuartermasterError {
  override readonly name: string = 'UpstreamError';
}
