import type { Snapshot, Tool } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import { checkOptionNames, readChoice } from '../check-option-names.ts';
import {
  type Form,
  type Found,
  type Memory,
  OWN_NAMES,
  type Plan,
  type PlanEngine,
  remember,
  STUB_DEFAULTS,
} from '../disclosure/index.ts';
import { makeDeferPlan, makeInlinePlan, makeView } from '../disclosure/internal.ts';
import { contextWindow, type ModelLimits, snapshotTokens } from '../gate/index.ts';
import { decideGateInSteps } from '../gate/internal.ts';
import { memoized } from '../memoized.ts';
import { runToEnd, visitInSteps } from '../slices.ts';
import { executeCall } from './call/execute-call.ts';
import { handleCalls, handleDescribe, refuse, unknownTool, wayWithoutSearch } from './call/handle-calls.ts';
import { resolveName } from './read/resolve-name.ts';
import { unwrapCall } from './read/unwrap-call.ts';
import { handleSearch, prefetchTools } from './search/handle-search.ts';
import type { Answered, CallContext, Caller, PlanOptions, Resolved, Step, Toolbox, ToolOutcome } from './toolbox.ts';
import {
  isDeferred,
  prepareSearch,
  readForm,
  type ToolboxContext,
  tellFound,
  toolboxContext,
} from './toolbox-context.ts';
import type { ToolboxOptions } from './toolbox-options.ts';

/**
 * A toolbox over a catalog. It has no conversation state: any number of conversations and callers can share it.
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
    plan: (limits, planOptions) => runToEnd(toolbox.planInSteps(limits, planOptions)),
    planInSteps: (limits = contextWindow(), planOptions = {}) => cachedPlan(context, limits, planOptions),
    view: (plan, memory, extra = {}) =>
      makeView({
        plan,
        memory,
        snapshot: context.snapshot(),
        prefetched: extra.prefetched?.names ?? [],
        allow: extra.caller?.allow,
      }),
    tell: (tellOptions) => tellFound(context, tellOptions),
    handle: (callContext) => handle(context, withName(callContext)),
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

/** The only way in: the bridge is removed first, so that everything after it sees the real tool. */
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

/** A host may write a call without a name. */
function withName(callContext: CallContext): CallContext {
  const { call } = callContext;
  return typeof call.name === 'string' ? callContext : { ...callContext, call: { ...call, name: '' } };
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
 * Which calls must not go to the client unchanged: calls to our tools, and calls to deferred tools that the conversation has not revealed
 * or whose names are misspelled, because those need a check or a repair first. An unknown name, or one whose tool the caller
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
  // The model may have seen our tools before search was switched off; no client can answer a call to one.
  const { pastSearches } = plan;
  const past = new Set(pastSearches === undefined ? [] : [...Object.values(OWN_NAMES), ...pastSearches]);
  const known = new Set(memory.known);
  return (name) => {
    if (own.has(name)) return true;
    const tool = resolveName(snapshot, name, caller.allow);
    if (tool === undefined) return past.has(name);
    return snapshot.modelName(tool) !== name || (isDeferred(plan, snapshot, tool) && !known.has(name));
  };
}

/** How many plans are cached per snapshot: forms, windows and scopes times settings, and pins of each key. The least recently used is dropped. */
const MOST_PLANS = 256;
/** The limit of their memory together, without the latest: for a large catalog every plan is large. */
const MOST_PLAN_BYTES = 32 * 1024 * 1024;

interface Kept {
  /** Everything that the plan depends on besides the snapshot, values as text. */
  readonly values: string;
  /** Functions, by identity. */
  readonly functions: readonly unknown[];
  readonly plan: Plan;
  readonly bytes: number;
}

/** Lives as long as the snapshot, and depends only on content: no conversation leaves a trace in it. */
const plansOf = memoized((_: Snapshot): Kept[] => []);

/** The plan for the current catalog, made once per snapshot and settings: the cost of a request must not depend on the size of the catalog. */
function* cachedPlan(context: ToolboxContext, limits: ModelLimits, options: PlanOptions): Generator<void, Plan> {
  const snapshot = context.snapshot();
  const { engine = context.engine, form = context.form, describe = true, searchWhenEmpty = false, ...rest } = options;
  const { caller, searchName, secondSearch, rule, pins, ...unknown } = rest;
  const { listingTokens, stubDescriptionLength = STUB_DEFAULTS.descriptionLength, isSearchable } = context.options;
  const values = JSON.stringify([
    context.settings,
    limits,
    form,
    [engine, describe, searchName ?? null, listingTokens ?? null, stubDescriptionLength],
    secondSearch ?? null,
    searchWhenEmpty,
    rule ?? null,
    pins ?? null,
    // Options that are not known have no plan yet, and are refused where one is made.
    Object.keys(unknown),
  ]);
  const functions = [context.countTokens, caller?.allow, isSearchable];
  const known = knownPlan(snapshot, values, functions);
  if (known !== undefined) return known;
  checkOptionNames('toolbox.plan', options, PLAN_OPTIONS);
  readChoice('engine', engine, ['text', 'regex']);
  const made = yield* decide({ context, snapshot, limits, options, form: readForm(form), engine });
  // Another request may have made it meanwhile.
  const plan = knownPlan(snapshot, values, functions) ?? made;
  if (plan !== made) return plan;
  const plans = plansOf(snapshot);
  plans.push({ values, functions, plan, bytes: planBytes(plan) });
  while (plans.length > MOST_PLANS || (plans.length > 1 && planBytesOf(snapshot) > MOST_PLAN_BYTES)) plans.shift();
  return plan;
}

/** Becomes the one that was used most recently. */
function knownPlan(snapshot: Snapshot, values: string, functions: readonly unknown[]): Plan | undefined {
  const plans = plansOf(snapshot);
  const at = plans.findLastIndex((one) => one.values === values && isSame(one.functions, functions));
  const found = plans[at];
  if (found !== undefined && at < plans.length - 1) plans.push(...plans.splice(at, 1));
  return found?.plan;
}

const PLAN_OPTIONS = 'form engine caller describe searchName secondSearch searchWhenEmpty rule pins';

/** About how many bytes the plans of a snapshot take. */
function planBytesOf(snapshot: Snapshot): number {
  return plansOf(snapshot).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Definitions are separate objects, twice, and a third time as rendered by a wire; schemas and most texts are shared with the tools. */
function planBytes(plan: Plan): number {
  const shown = plan.shown.reduce((sum, { as, description }) => sum + (as === 'stub' ? description.length : 0), 0);
  const deferred = plan.kind === 'defer' ? plan.deferred.size : 0;
  return 4096 + plan.shown.length * 512 + shown + deferred * 48 + (plan.note?.length ?? 0) * 2;
}

function* decide(question: {
  context: ToolboxContext;
  snapshot: Snapshot;
  limits: ModelLimits;
  options: PlanOptions;
  form: Form;
  engine: PlanEngine;
}): Generator<void, Plan> {
  const { context, snapshot, limits, options, form, engine } = question;
  const { countTokens } = context;
  const isOff = context.settings.rule.kind === 'off';
  const { rule = context.settings.rule, pins = [] } = options;
  const settings = {
    ...context.settings,
    rule: isOff ? context.settings.rule : rule,
    pins: [...context.settings.pins, ...pins],
  };
  const allow = options.caller?.allow;
  const decision = yield* decideGateInSteps({ snapshot, settings, limits, countTokens, allow });
  const costs = snapshotTokens(snapshot, countTokens).byTool;
  const common = {
    snapshot,
    tools: allow === undefined ? snapshot.tools : yield* filterInSteps(snapshot.tools, allow),
    reason: decision.reason,
    toolTokens: (tool: Tool): number => costs.get(tool) ?? 0,
  };
  const isEmpty = common.tools.length === 0 && options.searchWhenEmpty === true && !isOff;
  if (decision.kind === 'inline' && !isEmpty) return yield* makeInlinePlan(common);
  const { listingTokens, stubDescriptionLength, isSearchable } = context.options;
  const plan = yield* makeDeferPlan({
    ...common,
    form,
    deferred: decision.kind === 'inline' ? new Set<string>() : decision.deferred,
    countTokens,
    engine,
    describe: options.describe,
    searchName: options.searchName,
    secondSearch: options.secondSearch,
    listingTokens,
    stubDescriptionLength,
    isSearchable,
  });
  if (plan.deferred.size > 0 || isEmpty) return plan;
  return yield* makeInlinePlan({
    ...common,
    reason: `${decision.reason}; but none of these tools can be searched for`,
  });
}

function* filterInSteps(tools: readonly Tool[], accept: (tool: Tool) => boolean): Generator<void, readonly Tool[]> {
  const accepted: Tool[] = [];
  yield* visitInSteps(tools, (tool) => {
    if (accept(tool)) accepted.push(tool);
  });
  return accepted;
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.every((value, index) => value === right[index]);
}

/** From one call of the model to the text that answers it, for your own loop. Several wrapped calls run in parallel. */
async function answerCall(toolbox: Toolbox, callContext: CallContext): Promise<Answered> {
  const step = await toolbox.handle(callContext);
  if (step.kind === 'answer') {
    const memory = step.found === undefined ? callContext.memory : rememberFound(callContext.memory, step.found);
    return { text: step.text, isError: step.isError ?? false, memory, outcomes: [] };
  }
  const { caller, signal } = callContext;
  const options = { ...defined({ caller, signal }) };
  const outcomes = await Promise.all(step.calls.map((call) => toolbox.execute(call, options)));
  const memory = step.calls.reduce(
    (known, call) => remember(known, { kind: 'called', name: call.name }),
    callContext.memory,
  );
  return {
    text: textOf(step.calls, outcomes),
    isError: outcomes.every((outcome) => outcome.isError),
    memory,
    outcomes,
  };
}

/** What an answer adds to the memory. `atMs` is the time, on a surface that forgets searches after a while. */
export function rememberFound(memory: Memory, found: Found, atMs?: number): Memory {
  const when = atMs === undefined ? {} : { atMs };
  switch (found.kind) {
    case 'search': {
      if (found.isRefused === true) return memory;
      const limit = found.limit === undefined ? {} : { limit: found.limit };
      return remember(memory, { kind: 'searched', queries: found.queries, names: found.names, ...limit, ...when });
    }
    case 'describe':
      return remember(memory, { kind: 'revealed', names: found.names });
    case 'failure':
      return remember(memory, { kind: 'searched', queries: found.queries, names: [], ...when });
  }
}

function textOf(calls: readonly Resolved[], outcomes: readonly ToolOutcome[]): string {
  const [only] = outcomes;
  if (outcomes.length === 1 && only !== undefined) return only.text;
  const results = outcomes.map((outcome, index) => ({
    name: calls[index]?.name,
    ...(outcome.isError ? { error: outcome.text } : { result: outcome.text }),
  }));
  return JSON.stringify({ results });
}
