import type { Snapshot, Tool } from '../../catalog/index.ts';
import { defined } from '../../catalog/internal.ts';
import {
  ANSWER_DEFAULTS,
  type DeferPlan,
  type Duplicate,
  type Found,
  type FoundBySearch,
} from '../../disclosure/index.ts';
import { guardSearch, indexSourcesInSteps, ownNamed, ownTool } from '../../disclosure/internal.ts';
import { QuartermasterError } from '../../errors.ts';
import { snapshotTokens } from '../../gate/index.ts';
import { memoized } from '../../memoized.ts';
import {
  type Explanation,
  type Hit,
  ORDERED_BY_USE,
  orderByUse,
  type SearchEngine,
  type Searcher,
  type SearchRequest,
  type SearchResult,
  type UseBonus,
} from '../../search/index.ts';
import {
  CALLED_ALONG,
  CALLED_BEFORE,
  NAMED,
  readCandidateQuery,
  readToolTerms,
  SIBLING,
  takeTurns,
} from '../../search/internal.ts';
import { runInSlices } from '../../slices.ts';
import type { Awaitable } from '../call/execute-call.ts';
import type { ToolboxEvent } from '../events.ts';
import type { CallContext, Caller, Prefetched, Prefetching, Step } from '../toolbox.ts';
import { eventOrigin, reportLoads, searchScope, type ToolboxContext, tellFound } from '../toolbox-context.ts';

interface RequestedSearch {
  readonly queries: readonly string[];
  readonly limit?: number;
}

/** Answers a search. A model that goes round in circles gets its final answer without one. */
export async function handleSearch(
  context: ToolboxContext,
  callContext: CallContext & { readonly plan: DeferPlan },
  requested: RequestedSearch,
): Promise<Step> {
  const { plan, call, memory, caller = {} } = callContext;
  const limit = clampLimit(context, requested.limit);
  const { queries } = requested;
  const { atMs, requestId, callId, callerId } = eventOrigin(context, callContext);
  context.emit({ kind: 'tool-search-start', atMs, requestId, callId, callerId, queryCount: queries.length });
  const isStopped = guardSearch(memory, { queries, limit }, context.options.guard).kind === 'stop';
  const searched: Searched = isStopped
    ? { found: { kind: 'search', queries, names: [], limit, isRefused: true } }
    : await search(context, callContext, { queries, limit });
  const { found } = searched;
  if (!isStopped && isMiss(found)) await runInSlices(indexSourcesInSteps(context.snapshot()));
  const tell = (): string => tellFound(context, { plan, found, before: memory, caller });
  const durationMs = context.now() - atMs;
  if (plan.form.reveal === 'native' && found.kind === 'search' && found.names.length > 0) {
    const answerTokens = definitionTokens(context, found.names);
    report(context, callContext, { ...searched, isStopped, answerTokens, durationMs });
    return {
      ...{ kind: 'answer', call, found },
      // The model reads definitions. The text is for a caller that can't send them.
      get text() {
        return tell();
      },
    };
  }
  const text = tell();
  report(context, callContext, { ...searched, isStopped, answerTokens: context.countTokens(text), durationMs });
  return { kind: 'answer', call, found, text, ...(found.kind === 'failure' ? { isError: true } : {}) };
}

/** An answer that names the nearest sources reads the names of all tools first. */
function isMiss(found: Found): boolean {
  if (found.kind !== 'search') return false;
  return found.names.length === 0 || (found.answers ?? []).some(({ names }) => names.length === 0);
}

/** What the definitions of these tools cost. */
function definitionTokens(context: ToolboxContext, names: readonly string[]): number {
  const snapshot = context.snapshot();
  const { byTool } = snapshotTokens(snapshot, context.countTokens);
  let tokens = 0;
  for (const name of names) {
    const tool = snapshot.resolve(name);
    tokens += tool === undefined ? 0 : (byTool.get(tool) ?? 0);
  }
  return tokens;
}

type SearchEnd = Extract<ToolboxEvent, { kind: 'tool-search-end' }>;

interface Searched
  extends Partial<Pick<SearchEnd, 'reranker' | 'engine' | 'confidence' | 'scores' | 'tools' | 'reasons'>> {
  readonly found: Found;
}

async function search(
  context: ToolboxContext,
  callContext: CallContext & { readonly plan: DeferPlan },
  requested: Required<RequestedSearch>,
): Promise<Searched> {
  const { plan, caller = {}, signal } = callContext;
  // One snapshot for all of it: the catalog may change while the search runs.
  const snapshot = context.snapshot();
  const allow = searchScope(context, { plan, snapshot, caller });
  let engine: SearchEngine | undefined;
  try {
    // From the same moment: a server that becomes available while the search runs was not searched.
    const unavailable = context.options.unavailable?.(caller) ?? [];
    const own = ownNamed(plan, callContext.call.name.trim());
    const searcher = context.searchers[own?.engine ?? plan.engine].of(snapshot);
    engine = searcher.engine;
    await caller.admitSearch?.(requested.queries);
    const { maxQueryLength, uses, recordQueries = false } = context.options;
    // Keyword search reads a tool's text again to explain it: too expensive for a short reason.
    const explain = recordQueries && engine !== 'bm25';
    const ask = { limit: requested.limit, maxQueryLength, allow, explain, ...defined({ signal }) };
    const results = await Promise.all(
      requested.queries.map((query) => searchByUse(searcher, { query, ...ask }, { uses, caller, snapshot })),
    );
    const loaded = new Set(callContext.memory.revealed);
    // If nothing fits, the nearest tools are not revealed: wrong tools are worse than none.
    const lists = results.map(({ verdict, hits }) => (verdict === 'match' ? hits : []));
    // One list that serves each query in turn, with the best of each if the settings allow that many.
    const most = Math.max(requested.limit, Math.min(requested.queries.length, context.settings.search.maxLimit));
    const turns = takeTurns(lists, most, ({ tool }) => tool);
    const hits = withinLoadBudget(context, turns, { plan, isLoaded: (tool) => loaded.has(snapshot.modelName(tool)) });
    const told = toldFor(requested.queries, { lists, hits, snapshot });
    for (const one of told) uses?.note(one, caller);
    const found = {
      ...foundIn(hits, { snapshot, allow, told }),
      limit: requested.limit,
      ...(unavailable.length === 0 ? {} : { unavailable }),
    };
    const scores = hits.map(({ score }) => score);
    const tools = hits.map(({ tool }) => tool.id);
    const reasons = recordQueries ? hitReasons(hits, requested.queries) : undefined;
    const kinds = results.flatMap(({ reranker }) => reranker?.kind ?? []);
    const reranker = kinds.find((kind) => kind !== 'used') ?? kinds[0];
    // The confidence of the query that is answered best.
    const known = results.flatMap(({ confidence }) => confidence ?? []);
    const confidence = known.length === 0 ? undefined : Math.max(...known);
    return { found, scores, tools, reasons, engine: searcher.engine, confidence, reranker };
  } catch (error) {
    signal?.throwIfAborted();
    const found = { kind: 'failure', queries: requested.queries, ...explain(error) } as const;
    return { found, ...defined({ engine }) };
  }
}

/** For each query, the part of its list that is shown. */
function toldFor(
  queries: readonly string[],
  from: { readonly lists: readonly (readonly Hit[])[]; readonly hits: readonly Hit[]; readonly snapshot: Snapshot },
): readonly FoundForQuery[] {
  const shown = new Set(from.hits.map(({ tool }) => tool));
  return queries.map((query, at) => ({
    query,
    tools: (from.lists[at] ?? []).flatMap(({ tool }) =>
      shown.has(tool) ? [{ tool, name: from.snapshot.modelName(tool) }] : [],
    ),
  }));
}

function foundIn(
  hits: readonly Hit[],
  from: { snapshot: Snapshot; allow: (tool: Tool) => boolean; told: readonly FoundForQuery[] },
): FoundBySearch {
  const { snapshot, allow, told } = from;
  const also: Duplicate[] = hits.flatMap((hit) =>
    (hit.also ?? [])
      .filter(allow)
      .map((tool) => ({ name: snapshot.modelName(tool), of: snapshot.modelName(hit.tool) })),
  );
  const answers = told.map(({ query, tools }) => ({ query, names: tools.map(({ name }) => name) }));
  return {
    kind: 'search',
    queries: told.map(({ query }) => query),
    names: hits.map((hit) => snapshot.modelName(hit.tool)),
    ...(also.length === 0 ? {} : { also }),
    ...(told.length < 2 ? {} : { answers }),
  };
}

function clampLimit(context: ToolboxContext, limit: number | undefined): number {
  const { defaultLimit, maxLimit } = context.settings.search;
  return Math.max(1, Math.min(limit ?? defaultLimit, maxLimit));
}

/** Our own errors are safe to show; the text of any other error is untrusted and stays inside. */
function explain(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof QuartermasterError) return { code: error.code, message: error.message };
  return { code: 'unavailable', message: 'The search could not be run. Try again, or use the tools that you have.' };
}

function report(
  context: ToolboxContext,
  callContext: CallContext & { readonly plan: DeferPlan },
  end: Searched & { isStopped: boolean; answerTokens: number; durationMs: number },
): void {
  const { found } = end;
  if (found.kind === 'describe') return;
  const names = found.kind === 'search' ? found.names : [];
  // Field by field: a literal that begins with a spread takes microseconds, and every search makes several.
  const { atMs, requestId, callId, callerId } = eventOrigin(context, callContext);
  const event: ToolboxEvent = {
    kind: 'tool-search-end',
    atMs,
    requestId,
    callId,
    callerId,
    outcome: outcomeOf(found, end.isStopped),
    queryCount: found.queries.length,
    engine: end.engine,
    confidence: end.confidence,
    found: names,
    tools: end.tools ?? [],
    scores: end.scores ?? [],
    durationMs: end.durationMs,
    answerTokens: end.answerTokens,
    reranker: end.reranker,
  };
  const { queries } = found;
  context.emit(context.options.recordQueries === true ? { ...event, queries, reasons: end.reasons } : event);
  const { plan, memory } = callContext;
  // A signature in a bridge's answer is not yet a definition.
  if (plan.form.invoke === 'wrapped' && ownTool(plan, 'describe') !== undefined) return;
  reportLoads(context, callContext, {
    plan,
    by: 'search',
    names: names.filter((name) => !memory.revealed.includes(name)),
  });
}

function outcomeOf(found: Found, isStopped: boolean): 'match' | 'none' | 'failure' | 'stopped' {
  if (isStopped) return 'stopped';
  if (found.kind === 'failure') return 'failure';
  return found.names.length > 0 ? 'match' : 'none';
}

/** Remembers which tools were called after which searches, separately for each caller. Neither method may throw. */
export interface UseMemory {
  /** What each tool that the caller has used gains for a query, by the tool's id. Undefined if nothing was learned. */
  recall(query: string, caller: Caller): Awaitable<ReadonlyMap<string, UseBonus> | undefined>;
  /** A search returned these tools to its caller; a call to one of them may follow. */
  note(found: FoundForQuery, caller: Caller): void;
}

/** The result of one query of a search. */
export interface FoundForQuery {
  readonly query: string;
  /** Best first, with the names that the model sees. */
  readonly tools: readonly { readonly tool: Tool; readonly name: string }[];
}

/** A search whose answer orders the caller's own tools by use. Only the hybrid engine's scores can be combined with use. */
async function searchByUse(
  searcher: Searcher,
  request: SearchRequest & { readonly query: string; readonly limit: number },
  {
    uses,
    caller,
    snapshot,
  }: { readonly uses: UseMemory | undefined; readonly caller: Caller; readonly snapshot: Snapshot },
): Promise<SearchResult> {
  if (uses === undefined || searcher.engine !== 'hybrid') return searcher.search(request);
  const bonuses = await uses.recall(request.query, caller);
  if (bonuses === undefined || bonuses.size === 0) return searcher.search(request);
  const result = await searcher.search({ ...request, limit: Math.max(request.limit, ORDERED_BY_USE) });
  const { query, limit, allow } = request;
  const find = (id: string): Tool | undefined => {
    const tool = snapshot.get(id);
    return tool === undefined || allow?.(tool) === false ? undefined : tool;
  };
  return { ...result, hits: orderByUse(result.hits, bonuses, { limit, query, find }) };
}

/** How many shared words a reason names. */
const MOST_WORDS = 4;

/** A word that frames a request ("give", "show") explains little; words below this weight explain nothing. */
const LEAST_WEIGHT = 0.4;

/** Why each hit was found, in a few words: `meaning 0.57; "customer", "payment"`. Empty if there is nothing to say. */
export function hitReasons(hits: readonly Hit[], queries: readonly string[]): readonly string[] {
  const words = queries
    .flatMap((query) => readCandidateQuery(query, () => false).words)
    .filter(({ weight }) => weight >= LEAST_WEIGHT)
    .sort((left, right) => right.weight - left.weight);
  return hits.map(({ tool, explanation }) => {
    const stems = stemsOf(tool);
    const shared = new Set(words.filter(({ stem }) => stems.has(stem)).map(({ word }) => JSON.stringify(word)));
    return [...pointsOf(explanation), [...shared].slice(0, MOST_WORDS).join(', ')]
      .filter((part) => part !== '')
      .join('; ');
  });
}

/** The parts of a score besides its words. */
function pointsOf(explanation: Explanation | undefined): readonly string[] {
  if (explanation === undefined) return [];
  const { what, details } = explanation;
  const feature = FEATURE.exec(what);
  if (feature !== null) return [`meaning ${Number(feature[1]).toFixed(2)}`];
  return [...(PLAIN.has(what) ? [what] : []), ...details.flatMap(pointsOf)];
}

const FEATURE = /^\S+ × (\S+): meaning: /;

/** Parts that are reasons as they stand. */
const PLAIN: ReadonlySet<string> = new Set([NAMED, CALLED_BEFORE, CALLED_ALONG, SIBLING]);

/** Found tools recur: each is read once. */
const stemsOf = memoized((tool: Tool) => readToolTerms(tool).stems);

interface LoadBudgetOptions {
  readonly plan: DeferPlan;
  /** Whether a tool is already in the list, where it costs nothing more. @default none is */
  readonly isLoaded?: (tool: Tool) => boolean;
}

/**
 * What a search may load at once, best first: always the best tool, others while they fit the budget. A form that
 * reveals in answers loads nothing; the limit of those is applied where they are rendered.
 */
function withinLoadBudget(
  context: ToolboxContext,
  found: readonly Hit[],
  { plan, isLoaded }: LoadBudgetOptions,
): readonly Hit[] {
  if (plan.form.reveal === 'answer') return found;
  const costs = snapshotTokens(context.snapshot(), context.countTokens).byTool;
  let rest = context.options.budget?.loadTokens ?? ANSWER_DEFAULTS.loadTokens;
  return found.filter(({ tool }, index) => {
    const cost = plan.form.reveal === 'append' && isLoaded?.(tool) === true ? 0 : (costs.get(tool) ?? 0);
    if (index > 0 && cost > rest) return false;
    rest -= cost;
    return true;
  });
}

/** How many tools a prefetch offers. */
const PREFETCH_LIMIT = 3;
const MOST_CHARACTERS = 2_000;

/**
 * The tools that fit what the user said, if we search and something fits. A prefetch is an offer: whatever fails,
 * the request continues without it.
 */
export async function prefetchTools(
  context: ToolboxContext,
  prefetching: Prefetching,
): Promise<Prefetched | undefined> {
  const { plan, text, caller = {}, signal } = prefetching;
  if (plan.kind === 'inline' || plan.form.search !== 'local' || text.trim() === '') return undefined;
  // A sentence is not a pattern, and a model that writes patterns should not need a keyword index.
  if (plan.engine === 'regex') return undefined;
  const snapshot = context.snapshot();
  const searcher = context.searchers[plan.engine].of(snapshot);
  try {
    const result = await searcher.search({
      query: text.slice(0, MOST_CHARACTERS),
      limit: PREFETCH_LIMIT,
      allow: searchScope(context, { plan, snapshot, caller }),
      ...defined({ signal }),
    });
    if (result.verdict === 'none' || result.hits.length === 0) return undefined;
    const hits = withinLoadBudget(context, result.hits, { plan });
    const names = hits.map((hit) => snapshot.modelName(hit.tool));
    reportLoads(context, { caller }, { plan, by: 'prefetch', names });
    return { names };
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
