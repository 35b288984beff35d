import type { Plan } from '@quartermaster/core';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import type { UsedUp } from '../access/index.ts';
import type { GatewayEvent, RequestRecord, RequestStep, SearchRecord } from './gateway-event.ts';

/** How a request ended, from where requests come in. */
export interface RequestEnd extends Pick<RequestRecord, 'id' | 'atMs' | 'route' | 'status' | 'durationMs' | 'owner'> {
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  /** What the model's response used; absent where no model was asked. */
  readonly used?: UsedUp | undefined;
  /** The tools that the response calls. */
  readonly called: readonly string[];
}

/** Puts the events of each request together. */
export interface Activity {
  /** From now on the events of this request are kept. */
  begin(id: string): void;
  note(event: GatewayEvent): void;
  /** Nothing came of it. */
  drop(id: string): void;
  /** Emits the end of a request. Its record is there if the request was begun and has something to show. */
  end(request: RequestEnd): RequestRecord | undefined;
}

export function createActivity(emit: (event: GatewayEvent) => void, now: () => number): Activity {
  const open = new Map<string, Open>();
  return {
    begin(id) {
      open.set(id, {
        ...{ rounds: 0, carried: 0, laterRounds: [], steps: [] },
        ...{ searches: [], loaded: [], called: [], refused: [] },
      });
    },
    note(event) {
      const request = !('requestId' in event) || event.requestId === undefined ? undefined : open.get(event.requestId);
      if (request !== undefined) add(request, event, now);
    },
    drop: (id) => void open.delete(id),
    end(request) {
      const { id, route, status, durationMs, owner, used } = request;
      const seen = open.get(id);
      open.delete(id);
      const record = seen === undefined || !isWorthShowing(request, seen) ? undefined : recordOf(request, seen);
      emit({ kind: 'request-end', requestId: id, route, status, durationMs, owner, ...defined({ used, record }) });
      return record;
    },
  };
}

/** An MCP client lists and pings all the time: only what was searched for or called says something. */
function isWorthShowing({ route }: RequestEnd, { searches, loaded, called, refused }: Open): boolean {
  return route !== 'mcp' || searches.length + loaded.length + called.length + refused.length > 0;
}

/** More than any loop makes; a record stays small whatever a model does. */
const MOST_ENTRIES = 100;

interface Open {
  plan?: Extract<GatewayEvent, { kind: 'plan-decide' }>;
  rounds: number;
  carried: number;
  readonly laterRounds: number[];
  readonly searches: SearchRecord[];
  readonly loaded: RequestRecord['loaded'][number][];
  /** Calls that were made here. */
  readonly called: string[];
  earlier?: Extract<GatewayEvent, { kind: 'model-round-start' }>['earlier'];
  readonly refused: RequestRecord['refused'][number][];
  readonly steps: OpenStep[];
}

/** Times of the clock. A model's turn ends with whatever comes after it. */
interface OpenStep extends Pick<RequestStep, 'kind' | 'tool' | 'isError'> {
  readonly atMs: number;
  endMs?: number;
}

function add(request: Open, event: GatewayEvent, now: () => number): void {
  switch (event.kind) {
    case 'plan-decide':
      // The MCP connector plans a request again for each of its steps: the first plan counts.
      request.plan ??= event;
      return;
    case 'model-round-start':
      addStep(request, { kind: 'model', atMs: now() });
      request.rounds += 1;
      if (request.rounds === 1) {
        request.carried = event.carried;
        request.earlier = event.earlier;
      }
      if (request.rounds > 1) push(request.laterRounds, event.tokens);
      return;
    case 'tool-search-end': {
      const { outcome, engine, reranker, confidence, queryCount, queries, found, tools, scores, reasons } = event;
      push(request.searches, {
        ...{ outcome, queryCount, found, tools, scores, answerTokens: event.answerTokens, tookMs: event.durationMs },
        ...defined({ engine, reranker, confidence, queries, reasons }),
      });
      addEnded(request, { kind: 'search' }, event.durationMs, now());
      return;
    }
    case 'tool-load':
      push(request.loaded, { tool: event.tool, name: event.name, by: event.by, tokens: event.tokens });
      return;
    case 'tool-call-refuse':
      push(request.refused, { reason: event.reason, ...defined({ tool: event.tool }) });
      return;
    case 'server-call-end':
      if (event.isConfigured && event.tool !== undefined) push(request.called, event.tool);
      addEnded(
        request,
        { kind: 'call', ...defined({ tool: event.tool, isError: event.isError || undefined }) },
        event.durationMs,
        now(),
      );
      return;
    case 'tool-call-start':
    case 'tool-call-end':
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

function push<Entry>(list: Entry[], entry: Entry): void {
  if (list.length < MOST_ENTRIES) list.push(entry);
}

function addEnded(
  request: Open,
  step: Pick<OpenStep, 'kind' | 'tool' | 'isError'>,
  tookMs: number,
  endMs: number,
): void {
  addStep(request, { ...step, atMs: endMs - tookMs, endMs });
}

function addStep({ steps }: Open, step: OpenStep): void {
  const before = steps.at(-1);
  if (before !== undefined) before.endMs ??= Math.max(before.atMs, step.atMs);
  push(steps, step);
}

function stepsOf({ steps }: Open, { atMs, durationMs }: RequestEnd): readonly RequestStep[] {
  return steps.map(({ kind, tool, isError, atMs: from, endMs = atMs + durationMs }) => ({
    ...{ kind, fromMs: Math.max(0, from - atMs), tookMs: Math.max(0, endMs - from) },
    ...defined({ tool, isError }),
  }));
}

function recordOf(request: RequestEnd, seen: Open): RequestRecord {
  const { id, atMs, route, status, durationMs, owner, key, model, upstream, used } = request;
  const { plan, rounds } = seen;
  const called = seen.called.length === 0 ? request.called : [...seen.called, ...request.called];
  const isDeferred = plan?.decision === 'defer';
  const tokens = isDeferred && plan.cost !== undefined ? accountOf(seen, plan.cost) : undefined;
  const reach = isDeferred && status < 400 ? reachOf(seen, called) : undefined;
  const { decision, reason, form, catalogs } = plan ?? NO_PLAN;
  return {
    ...{ id, atMs, route, status, durationMs, owner },
    ...defined({ key, model, upstream, catalogs, decision, reason, form }),
    rounds,
    searches: orNone(seen.searches),
    loaded: orNone(seen.loaded),
    called: orNone(called),
    refused: orNone(seen.refused),
    inputTokens: used?.inputTokens ?? 0,
    outputTokens: used?.outputTokens ?? 0,
    steps: stepsOf(seen, request),
    ...defined({ reach, tokens }),
  };
}

const NO_PLAN: Partial<NonNullable<Open['plan']>> = {};

/** Thousands of records are held: those without entries share one list. */
function orNone<Entry>(list: readonly Entry[]): readonly Entry[] {
  return list.length === 0 ? NONE : list;
}

const NONE: readonly never[] = [];

/** Judged by the whole conversation: the response after a tool's result neither searches nor calls, and should not. */
function reachOf({ searches, earlier }: Open, called: readonly string[]): NonNullable<RequestRecord['reach']> {
  if (searches.length + (earlier?.searched ?? 0) > 0) return 'searched';
  return called.length + (earlier?.called ?? 0) > 0 ? 'called' : 'neither';
}

function accountOf({ carried, searches, loaded, laterRounds }: Open, plan: PlanCost): TokenAccount {
  const answered = searches.reduce((sum, { answerTokens }) => sum + answerTokens, 0);
  const described = loaded.filter(({ by }) => by !== 'search').reduce((sum, { tokens }) => sum + tokens, 0);
  return tokenAccount({ plan, carried, answers: answered + described, laterRounds });
}

/** What a plan costs and keeps out of a prompt, in estimated tokens. */
export interface PlanCost {
  /** Every definition that the request could use. */
  readonly definitions: number;
  /** Those that are sent in full either way. */
  readonly full: number;
  /** What is declared in each round: full definitions, stubs, our own tools. */
  readonly declared: number;
}

/** What tool search saved and cost in one response, in estimated tokens. */
export interface TokenAccount {
  /** Definitions that a prompt without tool search would hold. */
  readonly definitions: number;
  /** Of those, what this response's first prompt did not hold. */
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
  /** `keptOut - added`. Negative where tool search cost more than it kept out. */
  readonly net: number;
  /** How many tokens of definitions a request like this one must have for tool search to pay. */
  readonly breakEven: number;
}

const costs = new WeakMap<Plan, PlanCost>();

/** Counted once per plan. */
export function planCost(plan: Plan): PlanCost {
  const known = costs.get(plan);
  if (known !== undefined) return known;
  const byTool = snapshotTokens(plan.snapshot).byTool;
  const full = plan.shown.filter(({ as }) => as === 'full').reduce((sum, { tool }) => sum + (byTool.get(tool) ?? 0), 0);
  const note = plan.note === undefined ? 0 : estimateTokens(plan.note);
  const cost = { definitions: plan.tokens.before, full, declared: Math.max(plan.tokens.after, full) + note };
  costs.set(plan, cost);
  return cost;
}

export function tokenAccount(response: {
  readonly plan: PlanCost;
  readonly carried: number;
  readonly answers: number;
  /** What each round after the first was sent besides its tools. */
  readonly laterRounds: readonly number[];
}): TokenAccount {
  const { plan, carried, answers, laterRounds } = response;
  const keptOut = plan.definitions - plan.full;
  const ownTools = plan.declared - plan.full;
  // Later rounds read everything again, the answers among it: those are listed by themselves.
  const again = laterRounds.reduce((sum, tokens) => sum + tokens + plan.declared, 0);
  const repeated = Math.max(0, again - answers);
  const added = ownTools + carried + answers + repeated;
  return {
    ...{ definitions: plan.definitions, keptOut, ownTools, carried, answers, repeated, added },
    net: keptOut - added,
    breakEven: added,
  };
}
