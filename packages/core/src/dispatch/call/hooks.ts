import type { JsonObject } from '../../catalog/index.ts';
import type { Caller, Resolved, ToolOutcome } from '../call.ts';

/** Called around every execution, always with the real tool: a bridge is unwrapped before any of these looks. */
export interface Hooks {
  /** May refuse the call, or replace its arguments (which are checked again). Returning nothing lets it pass. */
  readonly beforeCall?: (call: Resolved, context: HookContext) => Awaitable<BeforeCall | undefined>;
  /** Asked last, with the arguments as they will be used. `false` or a denial refuses the call. */
  readonly approve?: (call: Resolved, context: HookContext) => Awaitable<boolean | Denial>;
  /** Sees every outcome, failures too. May replace it. */
  readonly afterCall?: (
    call: Resolved,
    outcome: ToolOutcome,
    context: HookContext,
  ) => Awaitable<ToolOutcome | undefined>;
}

/** What `beforeCall` can do to a call: refuse it, or change its arguments. */
export type BeforeCall = Denial | { readonly kind: 'change'; readonly arguments: JsonObject };

/** A refusal by a hook. */
export interface Denial {
  readonly kind: 'deny';
  /** Shown to the model. */
  readonly reason: string;
}

/** What hooks and `execute` get besides the call. */
export interface HookContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** A value, or a promise of it. */
export type Awaitable<Value> = Value | Promise<Value>;
