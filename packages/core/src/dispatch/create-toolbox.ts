import type { Snapshot } from '../catalog/index.ts';
import { type Found, type Memory, makeView, OWN_NAMES, type Plan } from '../disclosure/index.ts';
import { contextWindow } from '../gate/index.ts';
import { answerCall } from './answer-call.ts';
import { cachedPlan, planBytesOf } from './cached-plan.ts';
import { executeCall, handleCalls, handleDescribe, refuse, unknownTool, wayWithoutSearch } from './call/index.ts';
import type { Caller, Step } from './call.ts';
import { resolveName, unwrapCall } from './read/index.ts';
import { handleSearch, prefetchTools, prepareSearch, tellFound } from './search/index.ts';
import type { CallContext, Toolbox } from './toolbox.ts';
import { isDeferred, type ToolboxContext, toolboxContext } from './toolbox-context.ts';
import type { ToolboxOptions } from './toolbox-options.ts';

/**
 * A toolbox over a catalog. Holds no conversation: any number of them, and of callers, can share it.
 *
 * @example
 * const toolbox = createToolbox({ tools, execute: (call) => run(call.tool.name, call.arguments) });
 * const plan = toolbox.plan(); // what to declare, and the note for the system prompt
 * const { text, memory } = await toolbox.answer({ plan, call, memory: EMPTY_MEMORY });
 */
export function createToolbox(options: ToolboxOptions): Toolbox {
  const context = toolboxContext(options);
  const toolbox: Toolbox = {
    snapshot: context.snapshot,
    plan: (limits = contextWindow(), planOptions = {}) => cachedPlan(context, limits, planOptions),
    view: (plan, memory, extra = {}) =>
      makeView({
        plan,
        memory,
        snapshot: context.snapshot(),
        prefetched: extra.prefetched?.names ?? [],
        allow: extra.caller?.allow,
      }),
    tell: (tellOptions) => tellFound(context, tellOptions),
    handle: (callContext) => handle(context, callContext),
    execute: (resolved, executeOptions = {}) => executeCall(context, resolved, executeOptions),
    holds: (plan, memory, extra = {}) =>
      heldCalls({ plan, memory, snapshot: context.snapshot(), caller: extra.caller }),
    answer: (callContext) => answerCall(toolbox, callContext),
    prefetch: (prefetching) => prefetchTools(context, prefetching),
    prepare: (plan) => prepareSearch(context, plan),
    byteLength() {
      const snapshot = context.snapshot();
      const { text, regex } = context.searchers;
      return text.byteLength(snapshot) + regex.byteLength(snapshot) + planBytesOf(snapshot);
    },
  };
  return toolbox;
}

/** The only way in: the bridge comes off first, so that everything after it sees the real tool. */
async function handle(context: ToolboxContext, callContext: CallContext): Promise<Step> {
  const { plan, call, caller = {} } = callContext;
  callContext.signal?.throwIfAborted();
  const isKnown = (name: string): boolean => resolveName(context.snapshot(), name, caller.allow) !== undefined;
  const unwrapped = unwrapCall(plan, call, isKnown);
  if (unwrapped.kind === 'malformed') return refuseMalformed(context, callContext, unwrapped);
  if (unwrapped.kind === 'absent') {
    const text = `${unwrapped.name} is switched off, and every tool that you can use is in your list. ${wayWithoutSearch(context, callContext)}`;
    return refuse(context, callContext, { reason: 'unknown', text });
  }
  if (unwrapped.kind === 'calls') return handleCalls(context, callContext, unwrapped);
  if (plan.kind === 'inline') return refuse(context, callContext, unknownTool(context, callContext, call.name));
  const deferring = { ...callContext, plan };
  if (unwrapped.kind === 'describe') return handleDescribe(context, deferring, unwrapped.names);
  return handleSearch(context, deferring, unwrapped);
}

function refuseMalformed(
  context: ToolboxContext,
  callContext: CallContext,
  malformed: { readonly reason: string; readonly isSearch: boolean },
): Step {
  const step = refuse(context, callContext, { reason: 'malformed', text: malformed.reason });
  if (!malformed.isSearch || step.kind !== 'answer') return step;
  const found: Found = { kind: 'failure', queries: [], code: 'invalid_arguments', message: malformed.reason };
  return { ...step, found, text: tellFound(context, { plan: callContext.plan, found, before: callContext.memory }) };
}

/**
 * Which calls must not go to the client as they are: ours, and calls to deferred tools that the conversation has not revealed
 * or whose names are miswritten, since those need a check or a repair first. An unknown name, or one whose tool the caller
 * may not use, is the client's business.
 */
function heldCalls(options: {
  readonly plan: Plan;
  readonly memory: Memory;
  readonly snapshot: Snapshot;
  readonly caller?: Caller | undefined;
}): (name: string) => boolean {
  const { plan, memory, snapshot, caller = {} } = options;
  if (plan.kind === 'inline' || plan.form.search === 'provider') return () => false;
  const own = new Set(plan.own.map((tool) => tool.name));
  // The model may have read of our tools before search was switched off; no client can answer a call to one.
  const past = new Set<string>(plan.isSearchOff === true ? Object.values(OWN_NAMES) : []);
  const known = new Set(memory.known);
  return (name) => {
    if (own.has(name)) return true;
    const tool = resolveName(snapshot, name, caller.allow);
    if (tool === undefined) return past.has(name);
    return snapshot.modelName(tool) !== name || (isDeferred(plan, snapshot, tool) && !known.has(name));
  };
}
