import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { McpError } from '../errors.ts';

/** `JSON.stringify` gives up at some 4,000 levels, fewer where the stack is in use; results of real servers stay below a hundred. */
export const DEEPEST_RESULT = 1_000;

/** Refuses a result that can't be handed on: the SDK would fail to write it as JSON, and leave the one who asked without an answer. */
export function checkDepth(result: JsonObject, server: string): JsonObject {
  if (!exceeds(result, DEEPEST_RESULT)) return result;
  const message = `Server "${server}" answered with a result that nests deeper than ${DEEPEST_RESULT} levels`;
  throw new McpError('invalid_answer', message, { context: { server } });
}

function exceeds(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => exceeds(member, levels - 1));
}
