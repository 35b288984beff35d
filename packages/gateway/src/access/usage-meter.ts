import type { Clock } from '@quartermaster/core/internal';
import type { UsageStore } from '@quartermaster/host/store';
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
