import type { Clock } from '@quartermaster/core/internal';
import type { DayUsage, UsageStore } from '@quartermaster/host/store';
import type { GatewayEvent } from '../events/index.ts';
import { originOf } from '../http/index.ts';
import type { Logger } from '../logger.ts';

/** The usage of a response. `searches` are those that it shows. */
export interface UsedUp extends Pick<DayUsage, 'inputTokens' | 'outputTokens' | 'searches'> {
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

/** What is added up, with the name of each called tool and how often it was called. */
interface Counts extends Omit<DayUsage, 'day'> {
  readonly calls: Iterable<readonly [string, number]>;
}

type Counted = { -readonly [Count in keyof Omit<DayUsage, 'day'>]: number } & { readonly calls: Map<string, number> };

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
      // What could not be written waits for the next write.
      for (const [owner, counts] of due) add(owner, counts);
    }
  }

  function add(owner: string, { requests, searches, inputTokens, outputTokens, calls }: Counts): void {
    const count = counted.get(owner) ?? { ...NOTHING, calls: new Map<string, number>() };
    counted.set(owner, count);
    cancel ??= clock.after(FLUSH_MS, () => void flush());
    count.requests += requests;
    count.searches += searches;
    count.inputTokens += inputTokens;
    count.outputTokens += outputTokens;
    for (const [tool, times] of calls) {
      const known = count.calls.get(tool);
      if (known !== undefined || count.calls.size < MOST_TOOLS) count.calls.set(tool, (known ?? 0) + times);
    }
  }

  return {
    onEvent(event) {
      if (usage === undefined) return;
      if (event.kind === 'request-end' && event.used !== undefined) {
        const { tools, ...used } = event.used;
        add(event.owner, { ...used, requests: 1, calls: tools.map((tool) => [tool, 1]) });
      }
      if (event.kind === 'server-call-end' && event.isConfigured && event.tool !== undefined) {
        add(event.owner, { ...NOTHING, calls: [[event.tool, 1]] });
      }
    },
    flush,
  };
}

const NOTHING = { requests: 0, searches: 0, inputTokens: 0, outputTokens: 0 };
