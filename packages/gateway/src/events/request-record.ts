import type { UsedUp } from '../access/index.ts';
import type { RequestFacts } from '../http/index.ts';
import type {
  EventOf,
  GatewayEvent,
  LoadedTool,
  OmittedParts,
  RecordLists,
  RequestRecord,
  RequestStep,
  RunningRequest,
  SearchRecord,
} from './gateway-event.ts';
import { tokenAccount } from './token-account.ts';

/** How a request ended, as reported by the place where requests arrive. */
export interface RequestEnd
  extends Pick<
    RequestRecord,
    'id' | 'atMs' | 'route' | 'status' | 'durationMs' | 'owner' | 'key' | 'model' | 'upstream' | 'error'
  > {
  /** The usage of the model's response; absent if no model was called. */
  readonly used?: UsedUp | undefined;
  /** The tools that the response calls. */
  readonly called: readonly string[];
}

/** A request in progress. Its facts are read only when someone lists the running requests, so reporting costs a request nothing. */
export interface RequestStart {
  readonly requestId: string;
  readonly atMs: number;
  readonly access: { readonly owner: string; readonly name?: string | undefined };
  readonly facts: Readonly<Pick<RequestFacts, 'route' | 'model' | 'upstream' | 'sentAtMs'>>;
}

/** MCP clients list and ping all the time: only requests that searched or called something are recorded. */
export function isWorthShowing({ route }: RequestEnd, { searches, loaded, called, refused }: OpenRequest): boolean {
  return route !== 'mcp' || searches.length + loaded.length + called.length + refused.length > 0;
}

/** The limit of each list in a record: more entries than any loop makes. */
const MOST_ENTRIES = 100;

/** The limit of a record's text: names, queries and reasons, which models and clients choose. */
const MOST_CHARACTERS = 16_384;

/** What is known about a request so far. Every request creates one, so all fields are set at once, and no object is copied to add a field. */
export class OpenRequest {
  readonly requestId: string;
  readonly start: RequestStart;
  doing: Exclude<RunningRequest['state'], 'streaming'> = 'waiting';
  /** When the model was last called. */
  roundAtMs = 0;
  plan: EventOf<'plan-decide'> | undefined;
  rounds = 0;
  carried = 0;
  offered = 0;
  earlier: EventOf<'model-round-start'>['earlier'];
  /** Tokens of the answers that this response gave the model. */
  answers = 0;
  /** How many rounds followed the first because of tool search, and what they were sent besides what the plan declares. */
  laterRounds = 0;
  laterTokens = 0;
  /** Rounds that followed the result of a tool, which would have been made without tool search too. */
  resultRounds = 0;
  /** What happened since the model was last called. */
  sinceRound: 'nothing' | 'result' | 'search' = 'nothing';
  readonly catalogs: string[] = [];
  readonly searches: SearchRecord[] = [];
  readonly loaded: LoadedTool[] = [];
  /** Calls that were made here. */
  readonly called: string[] = [];
  readonly refused: RequestRecord['refused'][number][] = [];
  readonly steps: OpenStep[] = [];
  /** The length of the texts so far. */
  characters = 0;
  omitted: { -readonly [Field in keyof OmittedParts]: OmittedParts[Field] } | undefined;

  constructor(start: RequestStart) {
    this.requestId = start.requestId;
    this.start = start;
  }
}

/** Clock times. A model's turn ends with whatever comes after it. */
interface OpenStep {
  readonly kind: RequestStep['kind'];
  readonly atMs: number;
  readonly endMs: number | undefined;
  readonly tool: string | undefined;
  readonly isError: true | undefined;
}

function step(kind: OpenStep['kind'], atMs: number, endMs?: number, tool?: string, isError?: true): OpenStep {
  return { kind, atMs, endMs, tool, isError };
}

export function add(request: OpenRequest, event: GatewayEvent, notedAtMs: number): void {
  switch (event.kind) {
    case 'plan-decide':
      // The MCP connector plans a request again for each of its steps: the first plan counts.
      request.plan ??= event;
      if (event.catalogs !== undefined && event === request.plan) addCatalogs(request, event.catalogs);
      return;
    case 'model-round-start':
      request.doing = 'waiting';
      request.roundAtMs = notedAtMs;
      keep(request, 'steps', step('model', notedAtMs), 0);
      request.rounds += 1;
      if (request.rounds === 1) {
        request.carried = event.carried;
        request.offered = event.offered;
        request.earlier = event.earlier;
      } else if (request.sinceRound === 'result') {
        request.resultRounds += 1;
        request.laterTokens += event.revealed;
      } else {
        request.laterRounds += 1;
        request.laterTokens += event.tokens + event.revealed;
      }
      request.sinceRound = 'nothing';
      return;
    case 'tool-search-start':
      request.doing = 'searching';
      return;
    case 'tool-search-end': {
      request.doing = 'waiting';
      request.sinceRound = 'search';
      request.answers += event.answerTokens;
      addSearch(request, event);
      keep(request, 'steps', step('search', startOf(request, notedAtMs - event.durationMs), notedAtMs), 0);
      return;
    }
    case 'tool-load': {
      const { tool, name, by, tokens, keepsPrefix } = event;
      if (by === 'describe') request.sinceRound = 'search';
      // In the form `load` an answer only names what is then declared.
      if (by === 'describe' || (by === 'search' && !keepsPrefix)) request.answers += tokens;
      keep(request, 'loaded', { tool, name, by, tokens }, tool.length + name.length);
      return;
    }
    case 'tool-call-refuse': {
      const { tool, reason } = event;
      request.sinceRound = 'search';
      keep(request, 'refused', { tool, reason }, tool?.length ?? 0);
      return;
    }
    case 'server-call-end': {
      const { durationMs } = event;
      const called = event.id ?? event.tool;
      const length = called?.length ?? 0;
      if (request.sinceRound === 'nothing') request.sinceRound = 'result';
      if (called !== undefined) keep(request, 'called', called, length);
      const isError = event.isError || undefined;
      const atMs = startOf(request, notedAtMs - durationMs);
      keep(request, 'steps', step('call', atMs, notedAtMs, called, isError), length);
      return;
    }
    case 'tool-call-start':
      request.doing = 'calling';
      return;
    case 'tool-call-end':
      request.doing = 'waiting';
      return;
    case 'search-prepare-end':
    case 'server-change':
    case 'definition-change':
    case 'definition-finding':
    case 'listing-cut':
    case 'reranker-fallback':
    case 'reranker-call':
    case 'batch-item-end':
    case 'request-end':
      return;
  }
}

/** Durations come from a finer clock than times: a step does not begin before the model has asked for it. */
function startOf({ roundAtMs }: OpenRequest, atMs: number): number {
  return Math.max(roundAtMs, atMs);
}

/** Adds an entry with this much text, or counts it as left out. */
function keep<List extends RecordLists>(
  request: OpenRequest,
  list: List,
  entry: OpenRequest[List][number],
  characters: number,
): void {
  const entries = request[list] as OpenRequest[List][number][];
  if (entries.length >= MOST_ENTRIES || request.characters + characters > MOST_CHARACTERS) {
    omit(request)[list] += 1;
    return;
  }
  request.characters += characters;
  entries.push(entry);
}

function addCatalogs(request: OpenRequest, names: readonly string[]): void {
  for (const name of names) keep(request, 'catalogs', name, name.length);
}

function omit(request: OpenRequest): NonNullable<OpenRequest['omitted']> {
  request.omitted ??= { catalogs: 0, searches: 0, loaded: 0, called: 0, refused: 0, steps: 0, characters: 0 };
  return request.omitted;
}

/** A search always counts; if there is no room for its text, only the text is left out. */
function addSearch(request: OpenRequest, event: EventOf<'tool-search-end'>): void {
  const { outcome, engine, reranker, confidence, queryCount, answerTokens, durationMs: tookMs } = event;
  const characters = lengthOf(event.queries) + lengthOf(event.found) + lengthOf(event.tools) + lengthOf(event.reasons);
  const isWhole = request.characters + characters <= MOST_CHARACTERS;
  if (!isWhole) omit(request).characters += characters;
  const { queries, found, tools, scores, reasons } = isWhole ? event : NO_TEXTS;
  keep(
    request,
    'searches',
    { outcome, engine, reranker, confidence, queryCount, queries, found, tools, scores, reasons, answerTokens, tookMs },
    isWhole ? characters : 0,
  );
}

function lengthOf(texts: readonly string[] | undefined): number {
  let length = 0;
  if (texts !== undefined) for (const text of texts) length += text.length;
  return length;
}

/** In the order of their start; they were recorded at their end. */
function stepsOf({ steps }: OpenRequest, { atMs, durationMs }: RequestEnd): readonly RequestStep[] {
  if (steps.length > 1) steps.sort((left, right) => left.atMs - right.atMs);
  return steps.map(({ kind, atMs: from, endMs, tool, isError }, at) => {
    const to = endMs ?? steps[at + 1]?.atMs ?? atMs + durationMs;
    return { kind, fromMs: Math.max(0, from - atMs), tookMs: Math.max(0, to - from), tool, isError };
  });
}

export function recordOf(request: RequestEnd, seen: OpenRequest): RequestRecord {
  const { plan, rounds } = seen;
  const { status, used } = request;
  for (const tool of request.called) keep(seen, 'called', tool, tool.length);
  const { called } = seen;
  const isDeferred = plan?.decision === 'defer';
  // Of a failed response no one knows what it would have used.
  const isAnswered = status < 400 && request.error === undefined;
  return {
    id: request.id,
    atMs: request.atMs,
    route: request.route,
    status,
    durationMs: request.durationMs,
    owner: request.owner,
    key: request.key,
    model: request.model,
    upstream: request.upstream,
    error: request.error,
    catalogs: seen.catalogs.length === 0 ? undefined : seen.catalogs,
    decision: plan?.decision,
    reason: plan?.reason,
    form: plan?.form,
    rounds,
    searches: orNone(seen.searches),
    loaded: orNone(seen.loaded),
    called: orNone(called),
    refused: orNone(seen.refused),
    inputTokens: used?.inputTokens ?? 0,
    outputTokens: used?.outputTokens ?? 0,
    steps: orNone(stepsOf(seen, request)),
    reach: isDeferred && isAnswered ? reachOf(seen, called) : undefined,
    tokens: isDeferred && isAnswered && plan.cost !== undefined ? tokenAccount(plan.cost, seen) : undefined,
    omitted: seen.omitted,
  };
}

/** Thousands of records are kept: those without entries share one list. */
function orNone<Entry>(list: readonly Entry[]): readonly Entry[] {
  return list.length === 0 ? NONE : list;
}

const NONE: readonly never[] = [];
const NO_TEXTS = { queries: undefined, reasons: undefined, found: NONE, tools: NONE, scores: NONE };

/** Considers the whole conversation: the response after a tool's result neither searches nor calls, and should not. */
function reachOf({ searches, earlier }: OpenRequest, called: readonly string[]): NonNullable<RequestRecord['reach']> {
  if (searches.length + (earlier?.searched ?? 0) > 0) return 'searched';
  return called.length + (earlier?.called ?? 0) > 0 ? 'called' : 'neither';
}

/** How many tools the searches of a response found, and how many of them it did not call. */
export function countFound({ route, searches, called }: RequestRecord): { found: number; unused: number } {
  // An MCP client calls what it has found in another request.
  if (route === 'mcp') return { found: 0, unused: 0 };
  const names = new Map<string, string>();
  for (const { found, tools } of searches) {
    for (const [at, name] of found.entries()) names.set(tools[at] ?? name, name);
  }
  // Calls are named by id or, if only the model's answer is known, by the model's name.
  const made = new Set(called);
  let unused = 0;
  for (const [tool, name] of names) if (!made.has(tool) && !made.has(name)) unused += 1;
  return { found: names.size, unused };
}
