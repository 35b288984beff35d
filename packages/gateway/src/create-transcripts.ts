import { defined } from '@quartermaster/core/internal';
import { createTranscriptCache, type SharedMemory, type TranscriptStore } from '@quartermaster/core/loop';
import { CONFIG_DEFAULTS, type TranscriptSettings } from '@quartermaster/host/config';
import type { TranscriptRecords } from '@quartermaster/host/store';

/** Where a gateway keeps what its clients are not shown. */
export interface GatewayTranscripts {
  /** One key's entries. Undefined if nothing is to be kept. */
  readonly storeFor: ((owner: string) => TranscriptStore) | undefined;
  /** Deletes expired entries. */
  sweep(): Promise<void>;
}

/** In the store if it can encrypt, with the latest entries cached in memory; otherwise in memory only. */
export function createTranscripts(options: {
  readonly given: ((owner: string) => TranscriptStore) | TranscriptSettings | undefined;
  readonly records: TranscriptRecords | undefined;
  /** Counts what is in memory, with the other caches. @default its own 32 MiB */
  readonly memory?: SharedMemory;
}): GatewayTranscripts {
  const { given = CONFIG_DEFAULTS.transcripts, records } = options;
  const nothing = async (): Promise<void> => undefined;
  if (typeof given === 'function') return { storeFor: given, sweep: nothing };
  if (given.keep === 'off') return { storeFor: undefined, sweep: nothing };
  const cache = createTranscriptCache(defined({ memory: options.memory }));
  if (given.keep === 'memory' || records?.canKeep !== true) return { storeFor: cache.storeFor, sweep: nothing };
  return {
    storeFor: (owner) => inFront(cache.storeFor(owner), records.storeFor(owner)),
    async sweep() {
      await records.sweep({ maxAgeMs: given.retentionHours * HOUR_MS, maxBytes: given.maxBytes });
    },
  };
}

const HOUR_MS = 3_600_000;

/** Responses and conversations, which clients name, change and delete. */
const NAMED = /^(?:resp|conv)_/;

/** What is in memory is not requested from the database, which may be unavailable. */
function inFront(memory: TranscriptStore, lasting: TranscriptStore): TranscriptStore {
  return {
    async keep(ids, hidden) {
      await memory.keep(ids, hidden);
      await lasting.keep(ids, hidden);
    },
    async find(ids) {
      const known = await memory.find(ids);
      // Another replica may have deleted a response that this one has cached.
      const others = ids.filter((id) => !known.has(id) || NAMED.test(id));
      if (others.length === 0) return known;
      const found = await lasting.find(others).catch((error: unknown) => {
        // The cache is better than nothing; without an entry there, the loop reports the failure.
        if (known.size === 0) throw error;
        return known;
      });
      return new Map([...known, ...found].filter(([id]) => !others.includes(id) || found.has(id)));
    },
    async forget(ids) {
      // If it could not be deleted there, it must stay here: the client gets an error, and tries again.
      await lasting.forget(ids);
      await memory.forget(ids);
    },
    async replace(before, after) {
      const isReplaced = await lasting.replace(before, after);
      await (isReplaced ? memory.keep([before.id], after) : memory.forget([before.id]));
      return isReplaced;
    },
  };
}
