import type { Json } from '@quartermaster/core/catalog';

/** An entry of a server's list, with its JSON: serialized once, for its size, its hash and the store. */
export interface ListedDefinition {
  readonly value: Json;
  /** Missing if it can't be serialized, which takes an absurd depth. */
  readonly text?: string;
}

export function listDefinition(value: Json): ListedDefinition {
  try {
    return { value, text: JSON.stringify(value) };
  } catch {
    return { value };
  }
}
