import type { JsonObject, Tool } from '../../catalog/index.ts';
import { defined } from '../../catalog/internal.ts';
import { signature } from '../../disclosure/internal.ts';
import type { Resolved, Step } from '../call.ts';
import { resolveName } from '../read/resolve-name.ts';
import type { NamedCall } from '../read/unwrap-call.ts';
import type { CallContext } from '../toolbox.ts';
import { isDeferred, type ToolboxContext } from '../toolbox-context.ts';
import { ownName, type Refusal, refuse, unknownTool } from './refuse.ts';

interface RequestedCalls {
  readonly calls: readonly NamedCall[];
  /** Whether they came through `tool_call`. */
  readonly isWrapped: boolean;
}

/** How long a schema in an error may be, in characters; a longer one is told as a signature. */
const MOST_SCHEMA_CHARACTERS = 8_000;
/** For a checker that sets no limit of its own: one that does must not lose the line that counts the rest. */
const MOST_PROBLEMS = 50;

/** Resolves calls to real tools. All or none: a model that is told of one mistake must not wonder which of the others ran. */
export function handleCalls(context: ToolboxContext, callContext: CallContext, requested: RequestedCalls): Step {
  const resolved: Resolved[] = [];
  for (const [index, named] of requested.calls.entries()) {
    const result = resolveCall(context, callContext, { named, isWrapped: requested.isWrapped });
    if (result.kind === 'refused') {
      const which =
        requested.calls.length === 1 ? '' : `Nothing was called. Call ${index + 1} of ${requested.calls.length}: `;
      return refuse(context, callContext, { ...result.refusal, text: `${which}${result.refusal.text}` });
    }
    const id = index === 0 ? callContext.call.id : `${callContext.call.id}_${index + 1}`;
    resolved.push({
      id,
      tool: result.tool,
      name: context.snapshot().modelName(result.tool),
      arguments: result.arguments,
    });
  }
  return { kind: 'calls', call: callContext.call, calls: resolved };
}

type CallResult =
  | { readonly kind: 'good'; readonly tool: Tool; readonly arguments: Resolved['arguments'] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Scope before everything that could tell a hidden tool from none. */
function resolveCall(
  context: ToolboxContext,
  callContext: CallContext,
  requested: { named: NamedCall; isWrapped: boolean },
): CallResult {
  const { plan, caller = {} } = callContext;
  const { named, isWrapped } = requested;
  const snapshot = context.snapshot();
  if (isWrapped && isOwn(callContext, named.name)) {
    return refused({
      reason: 'nested',
      text: `${named.name.trim()} can't be called through another tool. Call it directly.`,
    });
  }
  const tool = resolveName(snapshot, named.name, caller.allow);
  if (tool === undefined) return refused(unknownTool(context, callContext, named.name));
  const name = snapshot.modelName(tool);
  if (isWrapped && !isDeferred(plan, snapshot, tool)) {
    const text = `${name} is in your own list of tools. Call it directly by its name, not through ${ownName(plan, 'call')}.`;
    return refused({ reason: 'not-deferred', text, tool: tool.id });
  }
  return checkCall(context, tool, { name, arguments: named.arguments });
}

function checkCall(context: ToolboxContext, tool: Tool, call: NamedCall): CallResult {
  const check = context.options.checkArguments?.(tool, call.arguments) ?? { kind: 'good' };
  if (check.kind === 'good') return { kind: 'good', tool, arguments: check.arguments ?? call.arguments };
  return refused({ reason: 'arguments', tool: tool.id, text: argumentError(tool, call.name, check.problems) });
}

/** What is wrong, what to send instead, and the schema itself: a stub's caller may never have seen it. */
export function argumentError(tool: Tool, name: string, problems: readonly ArgumentProblem[]): string {
  const schema = JSON.stringify(tool.schema);
  const isShort = schema.length <= MOST_SCHEMA_CHARACTERS;
  return JSON.stringify({
    error: 'invalid_arguments',
    tool: name,
    problems: problems.slice(0, MOST_PROBLEMS).map(({ path, message, closest }) => ({
      at: path,
      problem: message,
      ...defined({ closest }),
    })),
    ...(isShort ? { parameters: tool.schema } : { signature: signature(tool.schema) }),
  });
}

function isOwn(callContext: CallContext, name: string): boolean {
  return callContext.plan.kind === 'defer' && callContext.plan.own.some((own) => own.name === name.trim());
}

function refused(refusal: Refusal): CallResult {
  return { kind: 'refused', refusal };
}

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
