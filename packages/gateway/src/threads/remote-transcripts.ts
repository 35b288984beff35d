import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import type { Handlers, PortCalls } from './port-calls.ts';

type Arguments<Method extends keyof TranscriptStore> = Parameters<TranscriptStore[Method]>;

/** A transcript store of the main thread, as a worker calls it. */
export function remoteStore(main: PortCalls): TranscriptStore {
  return {
    find: async (...given) => (await main.call('findHidden', given)) as ReadonlyMap<string, Hidden>,
    keep: async (...given) => void (await main.call('keepHidden', given)),
    forget: async (...given) => void (await main.call('forgetHidden', given)),
    replace: async (...given) => (await main.call('replaceHidden', given)) === true,
  };
}

/** What answers these calls. Without a store, nothing is kept. */
export function storeHandlers(find: () => TranscriptStore | undefined): Handlers {
  return {
    findHidden: async (given: Arguments<'find'>) => find()?.find(...given) ?? new Map(),
    keepHidden: (given: Arguments<'keep'>) => find()?.keep(...given),
    forgetHidden: (given: Arguments<'forget'>) => find()?.forget(...given),
    replaceHidden: (given: Arguments<'replace'>) => find()?.replace(...given),
  };
}
