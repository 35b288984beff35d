import type { Plan } from '@quartermaster/core';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';
import type { UsedUp } from '../access/index.ts';
import type {
  GatewayEvent,
  LoadedTool,
  OmittedParts,
  RequestRecord,
  RequestStep,
  RunningRequest,
  SearchRecord,
} from './gateway-event.ts';

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
  readonly facts: {
    readonly route: string;
    readonly model?: string;
    readonly upstream?: string;
    /** When the client was last sent a part of the model's answer. */
    readonly sentAtMs?: number;
  };
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
export interface OpenRequest {
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

export function noEvents(start: RequestStart): OpenRequest {
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

type Lists = Pick<OpenRequest, 'catalogs' | 'searches' | 'loaded' | 'called' | 'refused' | 'steps'>;

/** Adds an entry with this much text, or counts it as left out. */
function keep<List extends keyof Lists>(
  request: OpenRequest,
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

function addCatalogs(request: OpenRequest, names: readonly string[]): void {
  for (const name of names) keep(request, 'catalogs', name, name.length);
}

function omit(request: OpenRequest): NonNullable<OpenRequest['omitted']> {
  request.omitted ??= { catalogs: 0, searches: 0, loaded: 0, called: 0, refused: 0, steps: 0, characters: 0 };
  return request.omitted;
}

/** A search always counts; if there is no room for its text, only the text is left out. */
function addSearch(request: OpenRequest, event: Extract<GatewayEvent, { kind: 'tool-search-end' }>): void {
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
function reachOf({ searches, earlier }: OpenRequest, called: readonly string[]): NonNullable<RequestRecord['reach']> {
  if (searches.length + (earlier?.searched ?? 0) > 0) return 'searched';
  return called.length + (earlier?.called ?? 0) > 0 ? 'called' : 'neither';
}

function accountOf({ carried, searches, loaded, laterRounds, laterTokens }: OpenRequest, plan: PlanCost): TokenAccount {
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
  const { definitions } = plan;
  return { definitions, keptOut, ownTools, carried, answers, repeated, added, net, breakEven: added };
}

/** Calls are named by id or, if only the model's answer is known, by the model's name. */
export function wasCalled({ tool, name }: LoadedTool, called: readonly string[]): boolean {
  return called.includes(tool) || called.includes(name);
}
