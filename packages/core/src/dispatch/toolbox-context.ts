import { createSnapshot, parseTools, type Snapshot, type Tool } from '../catalog/index.ts';
import { type DeferPlan, FORMS, type Form, type Plan } from '../disclosure/index.ts';
import { DEFAULT_GATE_SETTINGS, estimateTokens, type GateSettings, type TokenCounter } from '../gate/index.ts';
import { createBm25Searcher, type Searcher } from '../search/index.ts';
import type { Caller } from './call.ts';
import type { ToolboxEvent } from './events.ts';
import type { ToolboxOptions } from './toolbox-options.ts';

/** A toolbox's options with every default filled in, shared by its parts. */
export interface ToolboxContext {
  readonly options: ToolboxOptions;
  readonly snapshot: () => Snapshot;
  readonly searcher: (snapshot: Snapshot) => Searcher;
  readonly settings: GateSettings;
  readonly form: Form;
  readonly countTokens: TokenCounter;
  readonly now: () => number;
  readonly emit: (event: UntimedEvent) => void;
}

/** An event before the clock is read. */
export type UntimedEvent = ToolboxEvent extends infer Event
  ? Event extends ToolboxEvent
    ? Omit<Event, 'atMs'>
    : never
  : never;

export function toolboxContext(options: ToolboxOptions): ToolboxContext {
  const now = options.now ?? Date.now;
  const form = options.form ?? 'bridge';
  return {
    options,
    snapshot: currentSnapshot(options.tools),
    searcher: searcherFor(options.searcher ?? createBm25Searcher),
    settings: options.settings ?? DEFAULT_GATE_SETTINGS,
    form: typeof form === 'string' ? FORMS[form] : form,
    countTokens: options.countTokens ?? estimateTokens,
    now,
    emit: (event) => options.onEvent?.({ ...event, atMs: now() } as ToolboxEvent),
  };
}

/** What a search may return: what is deferred, in the caller's scope, and known to us. */
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

/** A tool that came after the plan was made is in no list, and therefore deferred. */
export function isDeferred(plan: Plan, snapshot: Snapshot, tool: Tool): boolean {
  if (plan.kind === 'inline') return false;
  return plan.deferred.has(snapshot.modelName(tool)) || plan.snapshot.get(tool.id) === undefined;
}

function currentSnapshot(tools: ToolboxOptions['tools']): () => Snapshot {
  if (typeof tools === 'function') return tools;
  const snapshot = isList(tools) ? createSnapshot(readTools(tools)) : tools;
  return () => snapshot;
}

/** A definition that can't be read is an error here: a tool must not go missing in silence. */
function readTools(list: readonly object[]): readonly Tool[] {
  return list.every(isTool) ? list : parseTools(list, { onProblem: 'throw' }).tools;
}

function isTool(value: object): value is Tool {
  return 'id' in value && 'policy' in value && 'extras' in value && 'schema' in value;
}

function isList(tools: Snapshot | readonly object[]): tools is readonly object[] {
  return Array.isArray(tools);
}

/** One index per snapshot, however many toolboxes use it: it holds no executor and no secret. */
const searchers = new WeakMap<(snapshot: Snapshot) => Searcher, WeakMap<Snapshot, Searcher>>();

function searcherFor(given: NonNullable<ToolboxOptions['searcher']>): (snapshot: Snapshot) => Searcher {
  if (typeof given !== 'function') return () => given;
  const bySnapshot = searchers.get(given) ?? new WeakMap<Snapshot, Searcher>();
  searchers.set(given, bySnapshot);
  return (snapshot) => {
    const searcher = bySnapshot.get(snapshot) ?? given(snapshot);
    bySnapshot.set(snapshot, searcher);
    return searcher;
  };
}
