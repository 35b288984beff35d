import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { parseArguments } from '@quartermaster/core/dispatch';

/** The key under which the API's documentation has clients send back arguments that are no JSON. */
const KEY = 'INVALID_JSON';

/**
 * A call's arguments as the object that the API expects. A text that is none is kept under a key of its own: without any
 * arguments it would look like a different call.
 */
export function toInput(text: string): JsonObject {
  return parseArguments(text) ?? { [KEY]: text };
}

/** A call's arguments as the model wrote them: the text where they were none, and otherwise the value. */
export function writtenInput(input: unknown): unknown {
  if (!isJsonObject(input) || Object.keys(input).length !== 1) return input;
  const text = Object.hasOwn(input, KEY) ? input[KEY] : undefined;
  return typeof text === 'string' && parseArguments(text) === undefined ? text : input;
}
