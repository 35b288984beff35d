import { isJsonObject, type JsonObject } from '../../catalog/index.ts';
import { cutText } from '../../disclosure/internal.ts';
import type { Caller, ExecuteOptions, Resolved, ToolOutcome } from '../toolbox.ts';
import { eventOrigin, type ToolboxContext } from '../toolbox-context.ts';
import { argumentError, type Refusal } from './handle-calls.ts';

/**
 * Runs one real call: scope, `beforeCall`, arguments, approval, the tool, `afterCall`. A hook that fails refuses the call; it
 * never allows it. Throws only the reason of an aborted signal.
 */
export async function executeCall(
  context: ToolboxContext,
  resolved: Resolved,
  options: ExecuteOptions,
): Promise<ToolOutcome> {
  const signal = options.signal ?? new AbortController().signal;
  const hookContext: HookContext = { caller: options.caller ?? {}, signal };
  signal.throwIfAborted();
  const admitted = await admit(context, resolved, hookContext);
  signal.throwIfAborted();
  if (!('reason' in admitted)) return run(context, admitted, hookContext);
  const origin = eventOrigin(context, { call: resolved, caller: hookContext.caller });
  context.emit({ ...origin, kind: 'tool-call-refuse', tool: resolved.tool.id, reason: admitted.reason });
  return { text: admitted.text, isError: true };
}

/** The call with its final arguments. */
async function admit(
  context: ToolboxContext,
  resolved: Resolved,
  hookContext: HookContext,
): Promise<Resolved | Refusal> {
  const { hooks, checkArguments } = context.options;
  if (hookContext.caller.allow?.(resolved.tool) === false) {
    return { reason: 'unknown', text: `There is no tool ${JSON.stringify(resolved.name)}.` };
  }
  let call = resolved;
  try {
    const before = await hooks?.beforeCall?.(call, hookContext);
    if (before?.kind === 'deny') return { reason: 'hook', text: before.reason };
    if (before?.kind === 'change') call = withArguments(call, before.arguments);
  } catch {
    return { reason: 'hook', text: `${resolved.name} was not called: a check before the call failed.` };
  }
  const check = call === resolved ? undefined : checkArguments?.(call.tool, call.arguments);
  if (check?.kind === 'wrong') {
    return { reason: 'arguments', text: argumentError(call.tool, call.name, check.problems) };
  }
  if (check?.arguments !== undefined) call = withArguments(call, check.arguments);
  return approve(context, call, hookContext);
}

async function approve(context: ToolboxContext, call: Resolved, hookContext: HookContext): Promise<Resolved | Refusal> {
  const refused = (text: string): Refusal => ({ reason: 'approval', text });
  try {
    const approval = (await context.options.hooks?.approve?.(call, hookContext)) ?? true;
    if (approval === true) return call;
    return refused(approval === false ? `The call of ${call.name} was not approved.` : approval.reason);
  } catch {
    return refused(`${call.name} was not called: it could not be approved.`);
  }
}

async function run(context: ToolboxContext, call: Resolved, hookContext: HookContext): Promise<ToolOutcome> {
  const { execute } = context.options;
  const origin = { call, caller: hookContext.caller };
  const startedMs = context.now();
  const argumentTokens = context.countTokens(JSON.stringify(call.arguments));
  context.emit({ ...eventOrigin(context, origin), kind: 'tool-call-start', tool: call.tool.id, argumentTokens });
  let outcome: ToolOutcome;
  try {
    if (execute === undefined) throw new Error(`${call.name} can't be executed here.`);
    outcome = toOutcome(await execute(call, hookContext));
  } catch (error) {
    outcome = toFailure(error);
  }
  const final = await afterCall(context, call, { outcome, hookContext });
  const durationMs = context.now() - startedMs;
  context.emit({
    ...eventOrigin(context, origin),
    kind: 'tool-call-end',
    tool: call.tool.id,
    isError: final.isError,
    durationMs,
    resultTokens: context.countTokens(final.text),
  });
  hookContext.signal.throwIfAborted();
  return final;
}

/** A result that `afterCall` could not check is not shown: the hook may be there to remove secrets. */
async function afterCall(
  context: ToolboxContext,
  call: Resolved,
  end: { outcome: ToolOutcome; hookContext: HookContext },
): Promise<ToolOutcome> {
  try {
    return (await context.options.hooks?.afterCall?.(call, end.outcome, end.hookContext)) ?? end.outcome;
  } catch {
    return { text: `${call.name} was called, but a check of its result failed.`, isError: true };
  }
}

function withArguments(call: Resolved, arguments_: JsonObject): Resolved {
  return { ...call, arguments: arguments_ };
}

const MOST_ERROR_CHARACTERS = 2_000;

/**
 * What a tool returned, for the model: a string unchanged, an MCP result as its text, or its structured content if it has no
 * text, and its `isError`; anything else as JSON.
 */
export function toOutcome(value: unknown): ToolOutcome {
  const isError = isJsonObject(value) && value.isError === true;
  return { text: textOf(value), value, isError };
}

/** A tool that throws has answered: with an error. */
export function toFailure(error: unknown): ToolOutcome {
  const message = error instanceof Error ? error.message : String(error);
  return { text: cutText(message === '' ? 'The tool failed' : message, MOST_ERROR_CHARACTERS), isError: true };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  const blocks = isJsonObject(value) && Array.isArray(value.content) ? value.content : [];
  const texts = blocks.flatMap((block) => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : []));
  if (texts.some((text) => text !== '')) return texts.join('\n');
  if (isJsonObject(value) && value.structuredContent !== undefined) return stringify(value.structuredContent);
  return texts.length > 0 ? '' : stringify(value);
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A cycle, or a BigInt: the tool's author should fix it, but the model still gets something.
    return String(value);
  }
}

/** Called around every execution, always with the real tool: a bridge is unwrapped before any of these. */
export interface Hooks {
  /** May refuse the call, or replace its arguments (which are checked again). Returning nothing allows it. */
  readonly beforeCall?: (call: Resolved, context: HookContext) => Awaitable<BeforeCall | undefined>;
  /** Called last, with the final arguments. `false` or a denial refuses the call. */
  readonly approve?: (call: Resolved, context: HookContext) => Awaitable<boolean | Denial>;
  /** Sees every outcome, including failures. May replace it. */
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
