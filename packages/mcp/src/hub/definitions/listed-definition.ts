import type { Json } from '@quartermaster/core/catalog';

/** An entry of a server's list, with its JSON: written once, for its size, its hash and the store. */
export interface ListedDefinition {
  readonly value: Json;
  /** Missing where it can't be written, which takes an absurd depth. */
  readonly text?: string;
}

export function listDefinition(value: Json): ListedDefinition {
  try {
    return { value, text: JSON.stringify(value) };
  } catch {
    return { value };
  }
}
