import type { Plan } from '@quartermaster/core';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';
import type { Clock } from '@quartermaster/core/internal';
import type { UsedUp } from '../access/index.ts';
import type {
  GatewayEvent,
  LoadedTool,
  OmittedParts,
  RequestRecord,
  RequestStep,
  RunningRequest,
  RunningRequests,
  SearchRecord,
} from './gateway-event.ts';
import { OpenRequests } from './open-requests.ts';

/** How a request ended, as reported by the place where requests arrive. */
export interface RequestEnd extends Pick<RequestRecord, 'id' | 'atMs' | 'route' | 'status' | 'durationMs' | 'owner'> {
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  /** The type of the error that the client got. */
  readonly error?: string | undefined;
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
  readonly facts: {
    readonly route: string;
    readonly model?: string;
    readonly upstream?: string;
    /** When the client was last sent a part of the model's answer. */
    readonly sentAtMs?: number;
  };
}

/** The stream of events, and what is known about each request in progress. */
export interface Activity {
  emit(event: GatewayEvent): void;
  /** Collects, counts and lists everything that was emitted so far. */
  settle(): void;
  /** From now on the events of this request are collected, and it is listed as running. */
  begin(request: RequestStart): void;
  /** The requests in progress, of one key or of all. */
  running(owner: string | undefined): RunningRequests;
  /** The request produced nothing. */
  drop(requestId: string): void;
  /**
   * Emits the end of a request, with its record if it was begun and has something to show. `onRecord` is called with the record at the
   * latest when everything is settled.
   */
  end(request: RequestEnd, onRecord?: (record: RequestRecord | undefined) => void): void;
}

/** Reads events. Must not throw. */
export type EventSink = (event: GatewayEvent) => void;

/** What is only told at once, and put into the record of its request. No sink counts it. */
const UNCOUNTED = [
  'model-round-start',
  'tool-search-start',
  'tool-load',
  'tool-call-start',
  'tool-call-end',
  'tool-call-refuse',
] as const;

/** What sinks count. */
export type CountedEvent = Exclude<GatewayEvent, { readonly kind: (typeof UNCOUNTED)[number] }>;

const uncounted: ReadonlySet<string> = new Set(UNCOUNTED);

function isCounted(event: GatewayEvent): event is CountedEvent {
  return !uncounted.has(event.kind);
}

export interface ActivityOptions {
  /** What reads each event at once: traces, the debug log, what later requests depend on. @default none */
  readonly prompt?: readonly EventSink[];
  /** What counts and lists. Whoever shows what it knows calls `settle` first. @default none */
  readonly counting?: readonly ((event: CountedEvent) => void)[];
  /** What is listed. While someone follows it, no event waits. @default none */
  readonly list?: { readonly isFollowed: boolean };
  readonly clock: Clock;
}

/** What waits for its page to be read: an event, or what else happened to a request. */
type Entry =
  | GatewayEvent
  | { readonly kind: 'begin'; readonly start: RequestStart }
  | { readonly kind: 'drop'; readonly requestId: string }
  | {
      readonly kind: 'end';
      readonly request: RequestEnd;
      readonly onRecord: ((record: RequestRecord | undefined) => void) | undefined;
    };

/** How many entries are read together: those of some fifty requests. */
const PAGE_ENTRIES = 256;

/** How long an entry may wait. */
const SETTLE_MS = 50;

/**
 * A request only notes what happens. All else, from collecting the events of a request to counting them, is done by the page: its code
 * and its counts then stay in the processor's caches, which each request would find cold.
 */
export function createActivity(options: ActivityOptions): Activity {
  const { prompt = [], counting = [], list, clock } = options;
  const { now } = clock;
  const open = new OpenRequests<Open>();
  let page: Entry[] = [];
  let times: number[] = [];
  let isScheduled = false;

  function note(entry: Entry): void {
    page.push(entry);
    times.push(now());
    if (page.length >= PAGE_ENTRIES || list?.isFollowed === true) settle();
    else if (!isScheduled) schedule();
  }

  function schedule(): void {
    isScheduled = true;
    clock.after(SETTLE_MS, () => {
      isScheduled = false;
      settle();
    });
  }

  function settle(): void {
    const [entries, notedAt] = [page, times];
    page = [];
    times = [];
    const counted: CountedEvent[] = [];
    for (let at = 0; at < entries.length; at += 1) {
      const entry = entries[at];
      const event = entry === undefined ? undefined : collect(entry, notedAt[at] ?? 0);
      if (event !== undefined && isCounted(event)) counted.push(event);
    }
    for (const sink of counting) for (const event of counted) sink(event);
  }

  /** Puts an entry into its request. Returns the event that it is. */
  function collect(entry: Entry, notedAtMs: number): GatewayEvent | undefined {
    switch (entry.kind) {
      case 'begin':
        open.add(noEvents(entry.start));
        return undefined;
      case 'drop':
        open.take(entry.requestId);
        return undefined;
      case 'end': {
        const { request, onRecord } = entry;
        const { id: requestId, route, status, durationMs, owner, used } = request;
        const seen = open.take(requestId);
        const record = seen === undefined || !isWorthShowing(request, seen) ? undefined : recordOf(request, seen);
        const event: GatewayEvent = { kind: 'request-end', requestId, route, status, durationMs, owner, used, record };
        for (const sink of prompt) sink(event);
        onRecord?.(record);
        return event;
      }
      default: {
        const requestId = 'requestId' in entry ? entry.requestId : undefined;
        const request = requestId === undefined ? undefined : open.get(requestId);
        if (request !== undefined) add(request, entry, notedAtMs);
        return entry;
      }
    }
  }

  return {
    emit(event) {
      for (const sink of prompt) sink(event);
      note(event);
    },
    settle,
    begin({ requestId, atMs, access, facts }) {
      // Not the request itself, which would live as long as its page.
      note({ kind: 'begin', start: { requestId, atMs, access, facts } });
    },
    running(owner) {
      settle();
      const listed: Open[] = [];
      for (const request of open) {
        if (owner !== undefined && request.start.access.owner !== owner) continue;
        if (isWorthListing(request)) listed.push(request);
      }
      listed.sort((left, right) => left.start.atMs - right.start.atMs);
      return { nowMs: now(), total: listed.length, data: listed.slice(0, MOST_RUNNING).map(runningOf) };
    },
    drop: (requestId) => note({ kind: 'drop', requestId }),
    end(request, onRecord) {
      note({ kind: 'end', request, onRecord });
      // What reads events at once is told of the end at once as well.
      if (prompt.length > 0) settle();
    },
  };
}

/** With events switched off: nothing is collected. */
export const NO_ACTIVITY: Activity = {
  emit: () => undefined,
  settle: () => undefined,
  begin: () => undefined,
  running: () => ({ nowMs: 0, total: 0, data: [] }),
  drop: () => undefined,
  end: (_, onRecord) => onRecord?.(undefined),
};

/** MCP clients list and ping all the time: only requests that searched or called something are recorded. */
function isWorthShowing({ route }: RequestEnd, { searches, loaded, called, refused }: Open): boolean {
  return route !== 'mcp' || searches.length + loaded.length + called.length + refused.length > 0;
}

/** An MCP request is listed once it searches or calls something. */
function isWorthListing({ start, doing, searches, steps }: Open): boolean {
  return start.facts.route !== 'mcp' || doing !== 'waiting' || searches.length + steps.length > 0;
}

function runningOf({ start, doing, roundAtMs, plan, rounds, searches, catalogs }: Open): RunningRequest {
  const { access, facts } = start;
  const isStreaming = facts.sentAtMs !== undefined && facts.sentAtMs > roundAtMs;
  return {
    id: start.requestId,
    atMs: start.atMs,
    state: doing === 'waiting' && isStreaming ? 'streaming' : doing,
    route: facts.route,
    owner: access.owner,
    key: access.name,
    model: facts.model,
    upstream: facts.upstream,
    catalogs: catalogs.length === 0 ? undefined : catalogs,
    decision: plan?.decision,
    form: plan?.form,
    rounds,
    searches: searches.length,
    query: searches.at(-1)?.queries?.[0]?.slice(0, MOST_QUERY_CHARACTERS),
  };
}

/** How many requests in progress are listed, the longest-running first. */
const MOST_RUNNING = 100;
const MOST_QUERY_CHARACTERS = 200;

/** The limit of each list in a record: more entries than any loop makes. */
const MOST_ENTRIES = 100;

/** The limit of a record's text: names, queries and reasons, which models and clients choose. */
const MOST_CHARACTERS = 16_384;

/** What is known about a request so far. Every request creates one, so all fields are set at once, and no object is copied to add a field. */
interface Open {
  readonly requestId: string;
  readonly start: RequestStart;
  doing: Exclude<RunningRequest['state'], 'streaming'>;
  /** When the model was last called. */
  roundAtMs: number;
  plan: Extract<GatewayEvent, { kind: 'plan-decide' }> | undefined;
  rounds: number;
  carried: number;
  earlier: Extract<GatewayEvent, { kind: 'model-round-start' }>['earlier'];
  /** How many rounds followed the first, and what they were sent besides their tools. */
  laterRounds: number;
  laterTokens: number;
  readonly catalogs: string[];
  readonly searches: SearchRecord[];
  readonly loaded: LoadedTool[];
  /** Calls that were made here. */
  readonly called: string[];
  readonly refused: RequestRecord['refused'][number][];
  readonly steps: OpenStep[];
  /** The length of the texts so far. */
  characters: number;
  omitted: { -readonly [Field in keyof OmittedParts]: OmittedParts[Field] } | undefined;
}

function noEvents(start: RequestStart): Open {
  return {
    requestId: start.requestId,
    start,
    doing: 'waiting',
    roundAtMs: 0,
    plan: undefined,
    rounds: 0,
    carried: 0,
    earlier: undefined,
    laterRounds: 0,
    laterTokens: 0,
    catalogs: [],
    searches: [],
    loaded: [],
    called: [],
    refused: [],
    steps: [],
    characters: 0,
    omitted: undefined,
  };
}

/** Clock times. A model's turn ends with whatever comes after it. */
interface OpenStep {
  readonly kind: RequestStep['kind'];
  readonly atMs: number;
  readonly endMs: number | undefined;
  readonly tool: string | undefined;
  readonly isError: true | undefined;
}

function add(request: Open, event: GatewayEvent, notedAtMs: number): void {
  switch (event.kind) {
    case 'plan-decide':
      // The MCP connector plans a request again for each of its steps: the first plan counts.
      request.plan ??= event;
      if (event.catalogs !== undefined && event === request.plan) addCatalogs(request, event.catalogs);
      return;
    case 'model-round-start':
      request.doing = 'waiting';
      request.roundAtMs = notedAtMs;
      keep(
        request,
        'steps',
        { kind: 'model', atMs: notedAtMs, endMs: undefined, tool: undefined, isError: undefined },
        0,
      );
      request.rounds += 1;
      if (request.rounds === 1) {
        request.carried = event.carried;
        request.earlier = event.earlier;
      } else {
        request.laterRounds += 1;
        request.laterTokens += event.tokens;
      }
      return;
    case 'tool-search-start':
      request.doing = 'searching';
      return;
    case 'tool-search-end': {
      request.doing = 'waiting';
      addSearch(request, event);
      const atMs = notedAtMs - event.durationMs;
      keep(request, 'steps', { kind: 'search', atMs, endMs: notedAtMs, tool: undefined, isError: undefined }, 0);
      return;
    }
    case 'tool-load': {
      const { tool, name, by, tokens } = event;
      keep(request, 'loaded', { tool, name, by, tokens }, tool.length + name.length);
      return;
    }
    case 'tool-call-refuse': {
      const { tool, reason } = event;
      keep(request, 'refused', { tool, reason }, tool?.length ?? 0);
      return;
    }
    case 'server-call-end': {
      const { tool, isConfigured, durationMs } = event;
      const length = tool?.length ?? 0;
      if (isConfigured && tool !== undefined) keep(request, 'called', tool, length);
      const isError = event.isError || undefined;
      keep(request, 'steps', { kind: 'call', atMs: notedAtMs - durationMs, endMs: notedAtMs, tool, isError }, length);
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

type Lists = Pick<Open, 'catalogs' | 'searches' | 'loaded' | 'called' | 'refused' | 'steps'>;

/** Adds an entry with this much text, or counts it as left out. */
function keep<List extends keyof Lists>(
  request: Open,
  list: List,
  entry: Lists[List][number],
  characters: number,
): void {
  const entries = request[list] as Lists[List][number][];
  if (entries.length >= MOST_ENTRIES || request.characters + characters > MOST_CHARACTERS) {
    omit(request)[list] += 1;
    return;
  }
  request.characters += characters;
  entries.push(entry);
}

function addCatalogs(request: Open, names: readonly string[]): void {
  for (const name of names) keep(request, 'catalogs', name, name.length);
}

function omit(request: Open): NonNullable<Open['omitted']> {
  request.omitted ??= { catalogs: 0, searches: 0, loaded: 0, called: 0, refused: 0, steps: 0, characters: 0 };
  return request.omitted;
}

/** A search always counts; if there is no room for its text, only the text is left out. */
function addSearch(request: Open, event: Extract<GatewayEvent, { kind: 'tool-search-end' }>): void {
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
function stepsOf({ steps }: Open, { atMs, durationMs }: RequestEnd): readonly RequestStep[] {
  if (steps.length > 1) steps.sort((left, right) => left.atMs - right.atMs);
  return steps.map(({ kind, atMs: from, endMs, tool, isError }, at) => {
    const to = endMs ?? steps[at + 1]?.atMs ?? atMs + durationMs;
    return { kind, fromMs: Math.max(0, from - atMs), tookMs: Math.max(0, to - from), tool, isError };
  });
}

function recordOf(request: RequestEnd, seen: Open): RequestRecord {
  const { plan, rounds } = seen;
  const { status, used } = request;
  for (const tool of request.called) keep(seen, 'called', tool, tool.length);
  const { called } = seen;
  const isDeferred = plan?.decision === 'defer';
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
    reach: isDeferred && status < 400 ? reachOf(seen, called) : undefined,
    tokens: isDeferred && plan.cost !== undefined ? accountOf(seen, plan.cost) : undefined,
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
function reachOf({ searches, earlier }: Open, called: readonly string[]): NonNullable<RequestRecord['reach']> {
  if (searches.length + (earlier?.searched ?? 0) > 0) return 'searched';
  return called.length + (earlier?.called ?? 0) > 0 ? 'called' : 'neither';
}

function accountOf({ carried, searches, loaded, laterRounds, laterTokens }: Open, plan: PlanCost): TokenAccount {
  let answers = 0;
  for (const { answerTokens } of searches) answers += answerTokens;
  for (const { by, tokens } of loaded) if (by !== 'search') answers += tokens;
  return tokenAccount({ plan, carried, answers, laterRounds, laterTokens });
}

/** What a plan costs and keeps out of a prompt, in estimated tokens. */
export interface PlanCost {
  /** Every definition that the request could use. */
  readonly definitions: number;
  /** Those that are sent in full in any case. */
  readonly full: number;
  /** What is declared in each round: full definitions, stubs, our own tools. */
  readonly declared: number;
}

/** What tool search saved and cost in one response, in estimated tokens. */
export interface TokenAccount {
  /** Definitions that a prompt without tool search would contain. */
  readonly definitions: number;
  /** Those among them that this response's first prompt did not contain. */
  readonly keptOut: number;
  /** Our own tools, stubs and the note. */
  readonly ownTools: number;
  /** Definitions that earlier responses loaded, which are still in the conversation. */
  readonly carried: number;
  /** Answers to searches and descriptions. */
  readonly answers: number;
  /** The conversation, read again in each round that followed a search. */
  readonly repeated: number;
  /** All that tool search added. */
  readonly added: number;
  /** `keptOut - added`. Negative if tool search cost more than it kept out. */
  readonly net: number;
  /** How many tokens of definitions a request like this one must have for tool search to pay off. */
  readonly breakEven: number;
}

export function planCost(plan: Plan): PlanCost {
  const byTool = snapshotTokens(plan.snapshot).byTool;
  const full = plan.shown.filter(({ as }) => as === 'full').reduce((sum, { tool }) => sum + (byTool.get(tool) ?? 0), 0);
  const note = plan.note === undefined ? 0 : estimateTokens(plan.note);
  return { definitions: plan.tokens.before, full, declared: Math.max(plan.tokens.after, full) + note };
}

export function tokenAccount(response: {
  readonly plan: PlanCost;
  readonly carried: number;
  readonly answers: number;
  /** How many rounds followed the first. */
  readonly laterRounds: number;
  /** What they were sent besides their tools. */
  readonly laterTokens: number;
}): TokenAccount {
  const { plan, carried, answers, laterRounds, laterTokens } = response;
  const keptOut = plan.definitions - plan.full;
  const ownTools = plan.declared - plan.full;
  // Later rounds read everything again, including the answers: those are listed separately.
  const repeated = Math.max(0, laterTokens + laterRounds * plan.declared - answers);
  const added = ownTools + carried + answers + repeated;
  const net = keptOut - added;
  return {
    definitions: plan.definitions,
    keptOut,
    ownTools,
    carried,
    answers,
    repeated,
    added,
    net,
    breakEven: added,
  };
}

/** Calls are named by id or, if only the model's answer is known, by the model's name. */
export function wasCalled({ tool, name }: LoadedTool, called: readonly string[]): boolean {
  return called.includes(tool) || called.includes(name);
}
