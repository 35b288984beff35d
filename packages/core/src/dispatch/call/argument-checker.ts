import type { JsonObject, Tool } from '../../catalog/index.ts';

/**
 * Checks arguments against a tool's schema. Passed in, because a full JSON Schema interpreter is no part of core: it is
 * `createArgumentChecker` in `@quartermaster/host/schema`. Without one, the only check is that arguments are an object.
 */
export type ArgumentChecker = (tool: Tool, arguments_: JsonObject) => ArgumentCheck;

/** What a check of arguments says. */
export type ArgumentCheck =
  /** `arguments`, where given, replaces what was sent (`"3"` made `3`, a lone value made a list). */
  | { readonly kind: 'good'; readonly arguments?: JsonObject }
  | { readonly kind: 'wrong'; readonly problems: readonly ArgumentProblem[] };

/** One thing that is wrong with a call's arguments. */
export interface ArgumentProblem {
  /** JSON Pointer into the arguments; empty for the whole. */
  readonly path: string;
  /** What to send instead, for the model: `must be a list of strings`. */
  readonly message: string;
  /** The parameter that a misspelt one was probably meant to be. */
  readonly closest?: string;
}
