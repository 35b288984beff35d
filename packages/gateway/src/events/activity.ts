import { defined } from '@quartermaster/core/internal';
import type { GatewayEvent, RequestRecord, SearchRecord } from './gateway-event.ts';
import { type PlanCost, type TokenAccount, tokenAccount } from './token-account.ts';

/** How a request ended, from where requests come in. */
export interface RequestEnd
  extends Pick<
    RequestRecord,
    'id' | 'atMs' | 'route' | 'status' | 'durationMs' | 'owner' | 'inputTokens' | 'outputTokens'
  > {
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly called: readonly string[];
}

/** Puts the events of each request together. Sinks get one record a request; none of them counts by itself. */
export interface Activity {
  /** From now on the events of this request are kept. */
  begin(id: string): void;
  note(event: GatewayEvent): void;
  /** Gives the record to every sink, and back. Undefined where the request was never begun. */
  end(request: RequestEnd): RequestRecord | undefined;
}

export type RecordSink = (record: RequestRecord) => void;

export function createActivity(sinks: readonly RecordSink[]): Activity {
  const open = new Map<string, Open>();
  return {
    begin(id) {
      open.set(id, { rounds: 0, carried: 0, laterRounds: [], searches: [], loaded: [], refused: [] });
    },
    note(event) {
      const request = event.requestId === undefined ? undefined : open.get(event.requestId);
      if (request !== undefined) add(request, event);
    },
    end(request) {
      const seen = open.get(request.id);
      open.delete(request.id);
      if (seen === undefined) return undefined;
      const record = recordOf(request, seen);
      for (const sink of sinks) sink(record);
      return record;
    },
  };
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
  readonly refused: RequestRecord['refused'][number][];
}

function add(request: Open, event: GatewayEvent): void {
  switch (event.kind) {
    case 'plan-decide':
      // The MCP connector plans a request again for each of its steps: the first plan counts.
      request.plan ??= event;
      return;
    case 'model-round-start':
      request.rounds += 1;
      if (request.rounds === 1) request.carried = event.carried;
      else push(request.laterRounds, event.tokens);
      return;
    case 'tool-search-end': {
      const { outcome, engine, reranker, confidence, queryCount, queries, found, scores, answerTokens } = event;
      push(request.searches, {
        ...{ outcome, queryCount, found, scores, answerTokens, tookMs: event.durationMs },
        ...defined({ engine, reranker, confidence, queries }),
      });
      return;
    }
    case 'tool-load':
      push(request.loaded, { tool: event.tool, by: event.by, tokens: event.tokens });
      return;
    case 'tool-call-refuse':
      push(request.refused, { reason: event.reason, ...defined({ tool: event.tool }) });
      return;
    case 'tool-call-start':
    case 'tool-call-end':
    case 'search-prepare-end':
      return;
  }
}

function push<Entry>(list: Entry[], entry: Entry): void {
  if (list.length < MOST_ENTRIES) list.push(entry);
}

function recordOf(request: RequestEnd, seen: Open): RequestRecord {
  const { model, upstream, ...rest } = request;
  const { plan, rounds, searches, loaded, refused } = seen;
  return {
    ...rest,
    ...defined({ model, upstream }),
    ...(plan === undefined ? {} : { decision: plan.decision, reason: plan.reason }),
    ...(plan?.form === undefined ? {} : { form: plan.form }),
    ...{ rounds, searches, loaded, refused },
    ...(plan?.decision === 'defer' && plan.cost !== undefined ? { tokens: accountOf(seen, plan.cost) } : {}),
  };
}

function accountOf({ carried, searches, loaded, laterRounds }: Open, plan: PlanCost): TokenAccount {
  const answered = searches.reduce((sum, { answerTokens }) => sum + answerTokens, 0);
  const described = loaded.filter(({ by }) => by !== 'search').reduce((sum, { tokens }) => sum + tokens, 0);
  return tokenAccount({ plan, carried, answers: answered + described, laterRounds });
}
