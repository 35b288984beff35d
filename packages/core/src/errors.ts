import type { UpstreamErrorCode } from './upstream-error.ts';

/** Every error code of this package. */
export type ErrorCode =
  /** A tool definition can't be read: no name, a broken schema, nesting that is too deep. */
  | 'invalid_tool'
  /** Two tools of one server have the same name. */
  | 'duplicate_tool'
  /** A catalog has more tools than `maxTools` allows. */
  | 'too_many_tools'
  /** No tool has this name. */
  | 'unknown_tool'
  /** A tool that only another provider can run can't be written in this format. */
  | 'unsupported_tool'
  /** A definition is in none of the known formats. */
  | 'unknown_format'
  /** A policy is not `never`, `automatic` or `always`. */
  | 'invalid_policy'
  /** A name template lacks a part that makes names unique. */
  | 'invalid_name_template'
  /** A regular expression has a mistake. */
  | 'invalid_pattern'
  /** A regular expression has more than 200 characters. */
  | 'pattern_too_long'
  /** A query has more characters than allowed. */
  | 'query_too_long'
  /** The caller has searched more often than it may. */
  | 'too_many_requests'
  /** A regular expression took more steps than its budget. */
  | 'out_of_budget'
  /** A limit is not a whole number in the allowed range. */
  | 'invalid_limit'
  /** A setting has a value that is not allowed. */
  | 'invalid_setting'
  /** A stored index is damaged, or was created by another version. */
  | 'invalid_index'
  /** A request is malformed. */
  | 'invalid_request'
  /** A request asks for something that tool search can't do. */
  | 'unsupported_request'
  | UpstreamErrorCode;

/** The base of every error that Quartermaster throws on purpose: a literal code, and facts in `context`. */
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

/** The optional parts of an error. */
export interface ErrorDetails {
  readonly cause?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** A tool definition, a policy or a catalog is invalid. */
export class CatalogError extends QuartermasterError {
  override readonly name: string = 'CatalogError';
}

/** A regular expression can't be compiled, or can't be evaluated within its budget. */
export class PatternError extends QuartermasterError {
  override readonly name: string = 'PatternError';
}

/** An invalid search. */
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
