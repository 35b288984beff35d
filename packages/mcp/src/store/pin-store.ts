import type { JsonObject } from '@quartermaster/core/catalog';

/** A definition as it was when it was first seen, or last accepted. */
export interface Pin {
  /** The tool's name at its server. */
  readonly tool: string;
  /** SHA-256 of its JSON. */
  readonly hash: string;
  readonly definition: JsonObject;
}

/** Where pins are kept between runs, by server. */
export interface PinStore {
  get(server: string): Promise<readonly Pin[]>;
  put(server: string, pins: readonly Pin[]): Promise<void>;
}

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
