import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { toInput, writtenInput } from '@quartermaster/wires/anthropic';

/**
 * Whether a call's arguments are what the model wrote. Some hosts leave them out where there are none; what is there but no object was
 * cut or miswritten.
 */
export function isReadable(input: unknown): boolean {
  return input === undefined || isJsonObject(writtenInput(input));
}

/** The arguments as an object: hosts take no call back that has anything else. */
export function toObject(input: unknown): JsonObject {
  if (input === undefined) return {};
  return isJsonObject(input) ? input : toInput(typeof input === 'string' ? input : JSON.stringify(input));
}
