import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { valueBytes } from '../http/index.ts';

/** How much memory a request's stored history takes: a short request can refer to a long one. */
export interface HistoryMeter {
  /** Of all entries that were found through {@link measured}. */
  readonly bytes: number;
  measured(store: TranscriptStore): TranscriptStore;
}

export function createHistoryMeter(): HistoryMeter {
  const known = new Set<Hidden>();
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    measured: (store) => ({
      ...store,
      async find(ids) {
        const found = await store.find(ids);
        for (const hidden of found.values()) {
          if (known.has(hidden)) continue;
          known.add(hidden);
          bytes += valueBytes(hidden);
        }
        return found;
      },
    }),
  };
}
