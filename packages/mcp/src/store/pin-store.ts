import type { Pin, PinStore } from '@quartermaster/host/store';

/** Keeps pins in memory. */
export function createMemoryPinStore(): PinStore {
  const pins = new Map<string, readonly Pin[]>();
  return {
    get: async (server) => pins.get(server) ?? [],
    put: async (server, list) => {
      pins.set(server, list);
    },
  };
}
