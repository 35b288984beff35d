import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { toInput, writtenInput } from '@quartermaster/wires/anthropic';

/**
 * Whether a call's arguments are what the model wrote. Some hosts leave them out if there are none; anything else that is not an object
 * was cut or malformed.
 */
export function isReadable(input: unknown): boolean {
  return input === undefined || isJsonObject(writtenInput(input));
}

/** The arguments as an object: hosts accept nothing else in the history. */
export function toObject(input: unknown): JsonObject {
  if (input === undefined) return {};
  return isJsonObject(input) ? input : toInput(typeof input === 'string' ? input : JSON.stringify(input));
}
