import type { JsonObject, Tool } from '../../catalog/index.ts';
import { defined } from '../../catalog/internal.ts';
import type { DeferPlan, FoundByName } from '../../disclosure/index.ts';
import { cutText, ownNamed, ownTool, signature } from '../../disclosure/internal.ts';
import type { RefusalReason } from '../events.ts';
import { resolveName, suggestName } from '../read/resolve-name.ts';
import type { NamedCall } from '../read/unwrap-call.ts';
import type { CallContext, Resolved, Step } from '../toolbox.ts';
import { eventOrigin, isDeferred, reportLoads, type ToolboxContext, tellFound } from '../toolbox-context.ts';

interface RequestedCalls {
  readonly calls: readonly NamedCall[];
  /** Whether they came through `tool_call`. */
  readonly isWrapped: boolean;
}

/** The longest schema in an error, in characters; a longer one is shown as a signature. */
const MOST_SCHEMA_CHARACTERS = 8_000;
/** For a checker without its own limit: a checker with one must not lose its line that counts the rest. */
const MOST_PROBLEMS = 50;

/** Resolves calls to real tools. All or none: a model that learns of one mistake must not wonder which of the others ran. */
export function handleCalls(context: ToolboxContext, callContext: CallContext, requested: RequestedCalls): Step {
  const resolved: Resolved[] = [];
  for (const [index, named] of requested.calls.entries()) {
    const result = resolveCall(context, callContext, { named, isWrapped: requested.isWrapped });
    if ('reason' in result) {
      const which =
        requested.calls.length === 1 ? '' : `Nothing was called. Call ${index + 1} of ${requested.calls.length}: `;
      return refuse(context, callContext, { ...result, text: `${which}${result.text}` });
    }
    const id = index === 0 ? callContext.call.id : `${callContext.call.id}_${index + 1}`;
    const { tool, arguments: checked } = result;
    resolved.push({ id, tool, name: context.snapshot().modelName(tool), arguments: checked });
  }
  return { kind: 'calls', call: callContext.call, calls: resolved };
}

type CallResult = Pick<Resolved, 'tool' | 'arguments'> | Refusal;

/** Scope before everything that could distinguish a hidden tool from a missing one. */
function resolveCall(
  context: ToolboxContext,
  callContext: CallContext,
  requested: { named: NamedCall; isWrapped: boolean },
): CallResult {
  const { plan, caller = {} } = callContext;
  const { named, isWrapped } = requested;
  const snapshot = context.snapshot();
  if (isWrapped && ownNamed(plan, named.name.trim()) !== undefined) {
    return { reason: 'nested', text: `${named.name.trim()} can't be called through another tool. Call it directly.` };
  }
  const tool = resolveName(snapshot, named.name, caller.allow);
  if (tool === undefined) return unknownTool(context, callContext, named.name);
  const name = snapshot.modelName(tool);
  if (isWrapped && !isDeferred(plan, snapshot, tool)) {
    const text = `${name} is in your own list of tools. Call it directly by its name, not through ${ownTool(plan, 'call')?.name}.`;
    return { reason: 'not-deferred', text, tool: tool.id };
  }
  return checkCall(context, tool, { name, arguments: named.arguments });
}

function checkCall(context: ToolboxContext, tool: Tool, call: NamedCall): CallResult {
  const check = context.options.checkArguments?.(tool, call.arguments) ?? { kind: 'good' };
  if (check.kind === 'good') return { tool, arguments: check.arguments ?? call.arguments };
  return { reason: 'arguments', tool: tool.id, text: argumentError(tool, call.name, check.problems) };
}

/** What is wrong, what to send instead, and the schema itself: the caller of a stub may never have seen it. */
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

/**
 * Checks arguments against a tool's schema. Passed in, because a full JSON Schema interpreter is not part of core: it is
 * `createArgumentChecker` in `@quartermaster/host/schema`. Without one, the only check is that arguments are an object.
 */
export type ArgumentChecker = (tool: Tool, arguments_: JsonObject) => ArgumentCheck;

/** The result of an argument check. */
export type ArgumentCheck =
  /** `arguments`, if set, replaces what was sent (`"3"` became `3`, a single value became a list). */
  | { readonly kind: 'good'; readonly arguments?: JsonObject }
  | { readonly kind: 'wrong'; readonly problems: readonly ArgumentProblem[] };

/** One thing that is wrong with a call's arguments. */
export interface ArgumentProblem {
  /** JSON Pointer into the arguments; empty for the whole. */
  readonly path: string;
  /** What to send instead, for the model: `must be a list of strings`. */
  readonly message: string;
  /** The parameter that a misspelled one was probably meant to be. */
  readonly closest?: string;
}

const NAME_LENGTH = 100;

/** Why a call is not made. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** What to do instead, for the model. */
  readonly text: string;
  /** The tool's id, if the caller may know it. */
  readonly tool?: string;
}

/** Refuses a call with an answer that says what to do instead. */
export function refuse(context: ToolboxContext, callContext: CallContext, refusal: Refusal): Step {
  const { reason, text, tool } = refusal;
  context.emit({ ...eventOrigin(context, callContext), kind: 'tool-call-refuse', tool, reason });
  return { kind: 'answer', call: callContext.call, text, isError: true };
}

/** For an unknown name, and word for word the same for one that the caller may not use. */
export function unknownTool(context: ToolboxContext, callContext: CallContext, name: string): Refusal {
  const near = suggestName({ snapshot: context.snapshot(), name, allow: callContext.caller?.allow });
  const closest = near.length === 0 ? '' : ` Closest: ${near.join(', ')}.`;
  const search = ownTool(callContext.plan, 'search')?.name;
  const advice = search === undefined ? ` ${wayWithoutSearch(context, callContext)}` : ` Use ${search} to find tools.`;
  return {
    reason: 'unknown',
    text: `There is no tool ${JSON.stringify(cutText(name, NAME_LENGTH))}.${closest}${advice}`,
  };
}

/** How many tools are named if there is no search to find them with. */
const MOST_NAMED = 20;

/** For a model that can't search: its tools, by name. */
export function wayWithoutSearch(context: ToolboxContext, callContext: CallContext): string {
  const { plan, caller } = callContext;
  const names = plan.shown.flatMap(({ name, tool }) => (caller?.allow?.(tool) === false ? [] : [name]));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  if (names.length > 0) return `Call a tool of your list by its name: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`;
  return plan.kind === 'inline' || context.snapshot().tools.length === 0
    ? 'There are no tools now: answer without one.'
    : 'Call a tool of your list by its name, or answer without one.';
}

/** Answers with the full definitions of named tools. Refused only if none of the names is known. */
export function handleDescribe(
  context: ToolboxContext,
  callContext: CallContext & { readonly plan: DeferPlan },
  asked: readonly string[],
): Step {
  const { plan, call, memory, caller = {} } = callContext;
  const snapshot = context.snapshot();
  const tools = asked.map((name) => resolveName(snapshot, name, caller.allow));
  const [first = ''] = asked;
  const isOwn = (name: string): boolean => ownNamed(plan, name) !== undefined;
  if (tools.every((tool) => tool === undefined) && !asked.some(isOwn))
    return refuse(context, callContext, unknownTool(context, callContext, first));
  const names = tools.map((tool, index) => (tool === undefined ? (asked[index] ?? '') : snapshot.modelName(tool)));
  const found: FoundByName = { kind: 'describe', names: [...new Set(names)] };
  const loaded = tools.flatMap((tool) => (tool === undefined ? [] : [snapshot.modelName(tool)]));
  reportLoads(context, callContext, { plan, by: 'describe', names: [...new Set(loaded)] });
  const text = tellFound(context, { plan, found, before: memory, caller });
  return { kind: 'answer', call, found, text };
}
