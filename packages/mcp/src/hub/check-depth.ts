import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { McpError } from '../errors.ts';

/** `JSON.stringify` fails at about 4,000 levels, earlier if the stack is in use. Results of real servers stay below a hundred. */
export const DEEPEST_RESULT = 1_000;

/** Rejects a result that can't be forwarded: the SDK would fail to serialize it, and the caller would get no answer. */
export function checkDepth(result: JsonObject, server: string): JsonObject {
  if (!exceeds(result, DEEPEST_RESULT)) return result;
  const message = `Server "${server}" answered with a result that nests deeper than ${DEEPEST_RESULT} levels`;
  throw new McpError('invalid_answer', message, { context: { server } });
}

function exceeds(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => exceeds(member, levels - 1));
}
