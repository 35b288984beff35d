import type { Usage, UsageStore } from '@quartermaster/host/store';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** Counts what was used, and writes it down now and then: a write for every request would cost more than the counting is worth. */
export interface UsageMeter {
  add(owner: string, used: { readonly inputTokens: number; readonly outputTokens: number }): void;
  flush(): Promise<void>;
}

/** What a kill can cost: the counts of so many milliseconds. */
const FLUSH_MS = 5_000;

export function createUsageMeter(options: {
  readonly usage: UsageStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): UsageMeter {
  const { usage, clock, logger } = options;
  let counted = new Map<string, Required<Pick<Usage, 'requests' | 'inputTokens' | 'outputTokens'>>>();
  let cancel: (() => void) | undefined;

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    const due = counted;
    counted = new Map();
    try {
      for (const [owner, used] of due) await usage.record({ owner, ...used });
    } catch {
      logger.log({ level: 'error', event: 'work-fail', work: 'usage' });
    }
  }

  return {
    add(owner, { inputTokens, outputTokens }) {
      const before = counted.get(owner) ?? { requests: 0, inputTokens: 0, outputTokens: 0 };
      counted.set(owner, {
        requests: before.requests + 1,
        inputTokens: before.inputTokens + inputTokens,
        outputTokens: before.outputTokens + outputTokens,
      });
      cancel ??= clock.after(FLUSH_MS, () => void flush());
    },
    flush,
  };
}
