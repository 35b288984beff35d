import { createSnapshot, parseTools, type Snapshot, type Tool } from '../catalog/index.ts';
import { checkOptionNames, readChoice, wrongSetting } from '../check-option-names.ts';
import { type DeferPlan, FORMS, type Form, type Plan, type PlanEngine } from '../disclosure/index.ts';
import { FORM_NAMES, tell } from '../disclosure/internal.ts';
import { DEFAULT_GATE_SETTINGS, estimateTokens, snapshotTokens } from '../gate/index.ts';
import { memoized } from '../memoized.ts';
import { createBm25Searcher, createRegexSearcher, type Searcher } from '../search/index.ts';
import { macrotaskPause } from '../slices.ts';
import type { EventBase, ToolboxEvent } from './events.ts';
import type { Caller, TellOptions } from './toolbox.ts';
import {
  checkToolboxOptions,
  PLAN_SETTINGS,
  SEARCH_SETTINGS,
  type SearcherSource,
  type ToolboxOptions,
} from './toolbox-options.ts';

/** A toolbox's options with all defaults, shared by its parts. */
export interface ToolboxContext extends Required<Pick<ToolboxOptions, 'settings' | 'engine' | 'countTokens' | 'now'>> {
  readonly options: ToolboxOptions;
  readonly snapshot: () => Snapshot;
  readonly searchers: SearchersFor;
  readonly form: Form;
  readonly emit: (event: ToolboxEvent) => void;
}

export function toolboxContext(options: ToolboxOptions): ToolboxContext {
  checkOptionNames('createToolbox', options, `tools execute hooks ${SEARCH_SETTINGS} ${PLAN_SETTINGS}`);
  checkToolboxOptions(options);
  const now = options.now ?? Date.now;
  const form = options.form ?? 'bridge';
  return {
    options,
    snapshot: currentSnapshot(options.tools),
    searchers: searchersFor(options),
    settings: options.settings ?? DEFAULT_GATE_SETTINGS,
    form: readForm(form),
    engine: options.engine ?? 'text',
    countTokens: options.countTokens ?? estimateTokens,
    now,
    emit: options.onEvent ?? (() => undefined),
  };
}

/** By name, or as the four choices. */
export function readForm(form: NonNullable<ToolboxOptions['form']>): Form {
  if (typeof form !== 'object' || form === null) return FORMS[readChoice('form', form, FORM_NAMES)];
  checkOptionNames('form', form, CHOICES);
  for (const [choice, allowed] of Object.entries(CHOICES))
    readChoice(`form.${choice}`, form[choice as keyof Form], allowed);
  return form;
}

const CHOICES: { readonly [Choice in keyof Form]: readonly Form[Choice][] } = {
  hidden: ['stub', 'omit', 'mark'],
  reveal: ['answer', 'append', 'native'],
  invoke: ['direct', 'wrapped'],
  search: ['local', 'provider', 'client'],
};

/** What a search may return: deferred tools that the caller may use, and that we can search. */
export function searchScope(
  context: ToolboxContext,
  scope: { readonly plan: DeferPlan; readonly snapshot: Snapshot; readonly caller: Caller },
): (tool: Tool) => boolean {
  const { plan, snapshot, caller } = scope;
  return (tool) =>
    isDeferred(plan, snapshot, tool) &&
    (caller.allow?.(tool) ?? true) &&
    (context.options.isSearchable?.(tool) ?? true);
}

/** A tool that was added after the plan was made is in no list, and therefore deferred. */
export function isDeferred(plan: Plan, snapshot: Snapshot, tool: Tool): boolean {
  if (plan.kind === 'inline') return false;
  return plan.deferred.has(snapshot.modelName(tool)) || plan.snapshot.get(tool.id) === undefined;
}

function currentSnapshot(tools: ToolboxOptions['tools']): () => Snapshot {
  if (typeof tools === 'function') {
    return () => {
      const snapshot = tools();
      if (isSnapshot(snapshot)) return snapshot;
      throw wrongSetting('tools', `the function tools returned ${describe(snapshot)}; it has to return a snapshot`);
    };
  }
  if (isList(tools)) {
    const snapshot = createSnapshot(readDefinitions(tools));
    return () => snapshot;
  }
  if (isSnapshot(tools)) return () => tools;
  throw wrongSetting(
    'tools',
    `tools is ${describe(tools)}; give a list of definitions, a snapshot, or a function that returns one`,
  );
}

function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== 'object' || value === null) return false;
  const { tools, modelName } = value as Partial<Snapshot>;
  return Array.isArray(tools) && typeof modelName === 'function';
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object that is no snapshot' : String(value);
}

function isList(tools: Snapshot | readonly object[]): tools is readonly object[] {
  return Array.isArray(tools);
}

/** An answer's text with the toolbox's own limits. Empty if nothing is deferred. */
export function tellFound(context: ToolboxContext, tellOptions: TellOptions): string {
  const { plan, found, before, caller } = tellOptions;
  if (plan.kind === 'inline') return '';
  const { guard, budget, findings } = context.options;
  return tell({ plan, snapshot: context.snapshot(), found, before, guard, budget, findings, allow: caller?.allow });
}

/** Tools as they are, or from definitions in any known format. An unreadable one is an error: a tool must not go missing silently. */
export function readDefinitions(list: readonly object[]): readonly Tool[] {
  return list.every(isTool) ? list : parseTools(list, { onProblem: 'throw' }).tools;
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  return 'id' in value && 'policy' in value && 'extras' in value && 'schema' in value;
}

/** When, which call, and whose: what every event begins with. */
export function eventOrigin(
  context: { now(): number },
  origin: { readonly call?: { readonly id: string }; readonly caller?: Caller | undefined } = {},
): EventBase {
  const { call, caller } = origin;
  return { atMs: context.now(), requestId: caller?.requestId, callId: call?.id, callerId: caller?.id };
}

/** Definitions that were revealed to the model, by their names. */
interface Loads {
  readonly plan: DeferPlan;
  readonly by: 'search' | 'describe' | 'prefetch';
  readonly names: readonly string[];
}

/** Emits an event for each definition. */
export function reportLoads(
  context: ToolboxContext,
  origin: Parameters<typeof eventOrigin>[1],
  { plan, by, names }: Loads,
): void {
  const snapshot = context.snapshot();
  const costs = snapshotTokens(snapshot, context.countTokens).byTool;
  // Field by field: a literal that begins with a spread takes microseconds, and every search makes several.
  const { atMs, requestId, callId, callerId } = eventOrigin(context, origin);
  for (const name of names) {
    const tool = snapshot.resolve(name);
    if (tool === undefined) continue;
    context.emit({
      kind: 'tool-load',
      atMs,
      requestId,
      callId,
      callerId,
      tool: tool.id,
      name,
      by,
      tokens: costs.get(tool) ?? 0,
      keepsPrefix: plan.form.reveal !== 'append',
    });
  }
}

/** The searchers of a toolbox by the engine of a plan. */
export type SearchersFor = { readonly [Engine in PlanEngine]: Searchers };

/** The searcher of a snapshot, created when it is first needed: a plan alone needs no index. */
interface Searchers {
  of(snapshot: Snapshot): Searcher;
  /** Whether a search of the snapshot has nothing left to build, or its build has begun. Creates no searcher. */
  isPrepared(snapshot: Snapshot): boolean;
  /** Makes the searcher build what it needs; once per snapshot, because the next search repeats a failed build. Throws as it does. */
  prepare(snapshot: Snapshot): Promise<void>;
  /** How many bytes the searcher of the snapshot holds, if it reports it; 0 if none was created for it alone. */
  byteLength(snapshot: Snapshot): number;
  /** Preparations take turns, so that many catalogs at once leave the thread to others. */
  readonly enqueue: Enqueue;
}

export function searchersFor(options: Pick<ToolboxOptions, 'searcher' | 'regexSearcher'>): SearchersFor {
  return {
    text: searchersOf.text(options.searcher ?? createBm25Searcher),
    regex: searchersOf.regex(options.regexSearcher ?? createRegexSearcher),
  };
}

/** One index per snapshot, however many toolboxes use it: it contains no executor and no secret. */
const searchersOf = {
  text: memoized((source: SearcherSource) => createSearchers(source, 'text')),
  regex: memoized((source: SearcherSource) => createSearchers(source, 'regex')),
};

/** Its searchers have nothing to prepare, so none is created for that. */
const READY_SOURCE: SearcherSource = createRegexSearcher;

function createSearchers(source: SearcherSource, engine: PlanEngine): Searchers {
  if (typeof source !== 'function') checked(source, engine);
  const bySnapshot = new WeakMap<Snapshot, Searcher>();
  const prepared = new WeakSet<Searcher>();

  const of = (snapshot: Snapshot): Searcher => {
    if (typeof source !== 'function') return source;
    const searcher = bySnapshot.get(snapshot) ?? checked(source(snapshot), engine);
    bySnapshot.set(snapshot, searcher);
    return searcher;
  };
  return {
    of,
    isPrepared(snapshot) {
      const searcher = typeof source === 'function' ? bySnapshot.get(snapshot) : source;
      if (searcher === undefined) return source === READY_SOURCE;
      return searcher.prepare === undefined || prepared.has(searcher);
    },
    async prepare(snapshot) {
      const searcher = of(snapshot);
      prepared.add(searcher);
      await searcher.prepare?.();
    },
    byteLength: (snapshot) => bySnapshot.get(snapshot)?.byteLength?.() ?? 0,
    enqueue: preparationQueue(),
  };
}

/** Words must not be read as a pattern, nor a pattern as words. Programs without types also pass promises. */
function checked(searcher: Searcher, engine: PlanEngine): Searcher {
  const setting = engine === 'text' ? 'searcher' : 'regexSearcher';
  const given: unknown = searcher;
  if (typeof (given as Partial<Searcher> | undefined)?.search !== 'function') {
    // A rejection that no one handles would end the process.
    if (given instanceof Promise) given.catch(() => undefined);
    const problem = given instanceof Promise ? 'a promise: await it, and pass the searcher itself' : 'not a searcher';
    throw wrongSetting(setting, `The ${setting}, or what it returns, is ${problem}`);
  }
  const takes: PlanEngine = searcher.engine === 'regex' ? 'regex' : 'text';
  if (takes === engine) return searcher;
  const advice = takes === 'regex' ? 'takes patterns: pass it as regexSearcher' : 'takes words: pass it as searcher';
  const message = `The ${setting} is of the engine "${searcher.engine}", which ${advice}`;
  throw wrongSetting(setting, message, { engine: searcher.engine });
}

/** If the plan offers a search: makes its searcher build what the first one would wait for. */
export function prepareSearch(context: ToolboxContext, plan: Plan): void {
  if (plan.kind === 'inline') return;
  for (const { role, engine } of plan.own) {
    if (role !== 'search') continue;
    const searchers = context.searchers[engine ?? plan.engine];
    if (!searchers.isPrepared(context.snapshot())) searchers.enqueue(context, () => build(context, searchers));
  }
}

/** For the catalog at the time of its turn: of several changes at once, only the last is built. */
async function build(context: ToolboxContext, searchers: Searchers): Promise<void> {
  const snapshot = context.snapshot();
  if (searchers.isPrepared(snapshot)) return;
  const startedMs = context.now();
  let isError = false;
  try {
    await searchers.prepare(snapshot);
  } catch {
    // The next search tries again, and reports a failure to the model as well.
    isError = true;
  }
  const durationMs = context.now() - startedMs;
  const toolCount = snapshot.tools.length;
  context.emit({ ...eventOrigin(context), kind: 'search-prepare-end', isError, toolCount, durationMs });
}

/** Adds work. Ignored if the same owner already has work waiting. Failures are not reported. */
type Enqueue = (owner: object, work: () => Promise<void>) => void;

/** How much may wait. Above it the oldest is dropped: a search builds what is missing. */
export const MOST_WAITING = 16;

/** Does one thing after the other, nothing before the next turn of the event loop. */
export function preparationQueue(): Enqueue {
  const waiting: { readonly owner: object; readonly work: () => Promise<void> }[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    const { pause, close } = macrotaskPause();
    for (;;) {
      await pause();
      const next = waiting.shift();
      if (next === undefined) break;
      await next.work().catch(() => undefined);
    }
    close();
    isRunning = false;
  }

  return (owner, work) => {
    if (waiting.some((one) => one.owner === owner)) return;
    waiting.push({ owner, work });
    if (waiting.length > MOST_WAITING) waiting.shift();
    if (!isRunning) void run();
  };
}
