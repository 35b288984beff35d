import type { Clock } from '@quartermaster/core/internal';
import type { KeyPermissions, RateLimitStore, UsageStore } from '@quartermaster/host/store';
import type { GatewayEvent } from '../events/index.ts';
import { originOf } from '../http/index.ts';
import type { Logger } from '../logger.ts';

/** The usage of a response. */
export interface UsedUp {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Searches that it shows. */
  readonly searches: number;
  /** The names of the tools of named catalogs that it calls, one per call. */
  readonly tools: readonly string[];
}

/** Counts usage, and writes it to the store at intervals: a write per request would cost more than the counts are worth. */
export interface UsageMeter {
  /** Counts responses, and calls outside of responses. */
  onEvent(event: GatewayEvent): void;
  flush(): Promise<void>;
}

/** What a kill can lose: the counts of this many milliseconds, and of the moment that an event may wait to be counted. */
const FLUSH_MS = 4_000;

/** How many different tools of one owner are counted between two writes. Their names come from clients. */
const MOST_TOOLS = 1_000;

interface Counted {
  requests: number;
  searches: number;
  inputTokens: number;
  outputTokens: number;
  readonly calls: Map<string, number>;
}

function addCalls({ calls }: Counted, tool: string, times: number): void {
  if (calls.has(tool) || calls.size < MOST_TOOLS) calls.set(tool, (calls.get(tool) ?? 0) + times);
}

export function createUsageMeter(options: {
  /** Where counts are stored. @default nowhere */
  readonly usage: UsageStore | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Has what happened so far counted. */
  settle(): void;
}): UsageMeter {
  const { usage, clock, logger, settle } = options;
  let counted = new Map<string, Counted>();
  let cancel: (() => void) | undefined;

  async function flush(): Promise<void> {
    settle();
    cancel?.();
    cancel = undefined;
    const due = counted;
    counted = new Map();
    try {
      for (const [owner, { calls, ...used }] of due) {
        const tools = [...calls].map(([tool, count]) => ({ tool, calls: count }));
        await usage?.record({ owner, ...used, tools });
        due.delete(owner);
      }
    } catch (error) {
      logger.log({ level: 'error', event: 'work-fail', work: 'usage', ...originOf(error) });
      for (const [owner, count] of due) addBack(owner, count);
    }
  }

  /** Counts that could not be written wait for the next write. */
  function addBack(owner: string, { calls, ...used }: Counted): void {
    const count = countOf(owner);
    count.requests += used.requests;
    count.searches += used.searches;
    count.inputTokens += used.inputTokens;
    count.outputTokens += used.outputTokens;
    for (const [tool, times] of calls) addCalls(count, tool, times);
  }

  function countOf(owner: string): Counted {
    const known = counted.get(owner) ?? { requests: 0, searches: 0, inputTokens: 0, outputTokens: 0, calls: new Map() };
    counted.set(owner, known);
    cancel ??= clock.after(FLUSH_MS, () => void flush());
    return known;
  }

  function add(owner: string, { inputTokens, outputTokens, searches, tools }: UsedUp): void {
    const count = countOf(owner);
    count.requests += 1;
    count.searches += searches;
    count.inputTokens += inputTokens;
    count.outputTokens += outputTokens;
    for (const tool of tools) addCalls(count, tool, 1);
  }

  return {
    onEvent(event) {
      if (usage === undefined) return;
      if (event.kind === 'request-end' && event.used !== undefined) add(event.owner, event.used);
      if (event.kind === 'server-call-end' && event.isConfigured && event.tool !== undefined) {
        addCalls(countOf(event.owner), event.tool, 1);
      }
    },
    flush,
  };
}

/** The period of a token budget: a day or a month in UTC. */
interface BudgetPeriod {
  readonly name: 'day' | 'month';
  /** Its name in the settings. */
  readonly limitName: 'tokensPerDay' | 'tokensPerMonth';
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endsAt: number;
}

/** The periods that a key has a budget for, the shorter one first. */
export function budgetsOf(limits: KeyPermissions['limits'], now: number): readonly BudgetPeriod[] {
  const { tokensPerDay, tokensPerMonth } = limits;
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return [
    ...(tokensPerDay === undefined
      ? []
      : [period('day', tokensPerDay, [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)])]),
    ...(tokensPerMonth === undefined
      ? []
      : [period('month', tokensPerMonth, [Date.UTC(year, month), Date.UTC(year, month + 1)])]),
  ];
}

/** The first budget that is spent. A request is served while anything is left: its usage is known only afterwards. */
export async function findSpent(
  rateLimits: RateLimitStore,
  owner: string,
  budgets: readonly BudgetPeriod[],
): Promise<BudgetPeriod | undefined> {
  for (const budget of budgets) {
    if ((await readSpent(rateLimits, owner, budget)) >= budget.limit) return budget;
  }
  return undefined;
}

export function readSpent(rateLimits: RateLimitStore, owner: string, budget: BudgetPeriod): Promise<number> {
  return rateLimits.spent({ bucket: bucketOf(owner, budget), startedAt: budget.startedAt });
}

export async function spendTokens(
  rateLimits: RateLimitStore,
  use: { readonly owner: string; readonly tokens: number; readonly budgets: readonly BudgetPeriod[] },
): Promise<void> {
  for (const budget of use.budgets) {
    const { startedAt, endsAt } = budget;
    await rateLimits.spend({ bucket: bucketOf(use.owner, budget), startedAt, endsAt, cost: use.tokens });
  }
}

function bucketOf(owner: string, { name }: BudgetPeriod): string {
  return `${owner}/tokens-per-${name}`;
}

function period(
  name: BudgetPeriod['name'],
  limit: number,
  [startedAt, endsAt]: readonly [number, number],
): BudgetPeriod {
  return { name, limitName: name === 'day' ? 'tokensPerDay' : 'tokensPerMonth', limit, startedAt, endsAt };
}
