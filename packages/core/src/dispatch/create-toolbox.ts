import { type Found, makeView } from '../disclosure/index.ts';
import { contextWindow } from '../gate/index.ts';
import { answerCall } from './answer-call.ts';
import { cachedPlan, planBytesOf } from './cached-plan.ts';
import type { Step } from './call.ts';
import { executeCall } from './execute-call.ts';
import { handleCalls } from './handle-calls.ts';
import { handleDescribe } from './handle-describe.ts';
import { handleSearch } from './handle-search.ts';
import { heldCalls } from './held-calls.ts';
import { prefetchTools } from './prefetch-tools.ts';
import { prepareSearch } from './prepare-search.ts';
import { refuse, unknownTool, wayWithoutSearch } from './refuse.ts';
import { resolveName } from './resolve-name.ts';
import { tellFound } from './tell-found.ts';
import type { CallContext, Toolbox } from './toolbox.ts';
import { type ToolboxContext, toolboxContext } from './toolbox-context.ts';
import type { ToolboxOptions } from './toolbox-options.ts';
import { unwrapCall } from './unwrap-call.ts';

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
