import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { readContent } from '../read-content.ts';

/**
 * Limits the size of a tool's result. A longer one keeps the parts that fit, and ends with a part that says what is missing. Half of a
 * structured result is useless, and a client that knows the output schema would reject a missing one, so the result becomes an error.
 */
export function boundResult(result: JsonObject, maxBytes: number): JsonObject {
  if (weigh(result, maxBytes) <= maxBytes) return result;
  const { content, structuredContent, isError, ...rest } = result;
  const parts: Json[] = [];
  let left = maxBytes;
  for (const part of Array.isArray(content) ? (content as readonly Json[]) : []) {
    const weight = weigh(part, left);
    if (weight <= left) parts.push(part);
    else {
      const piece = beginningOf(part, left);
      if (piece !== undefined) parts.push(piece);
      break;
    }
    left -= weight;
  }
  const isCut = structuredContent !== undefined;
  const lost = isCut
    ? 'The tool has run. Its structured result is left out, and its text is cut off here'
    : 'Cut off here';
  const text = `[${lost}: the result is longer than ${maxBytes} bytes (mcp.resultBytes). Ask for less at once]`;
  return {
    ...(weigh(rest, maxBytes) <= maxBytes ? rest : {}),
    content: [...parts, { type: 'text', text }],
    ...(isCut || isError === true ? { isError: true } : {}),
  };
}

/** Text can be cut between two characters; an image can't be cut. */
function beginningOf(part: Json, maxBytes: number): JsonObject | undefined {
  const [read] = readContent({ content: [part] });
  if (read?.kind !== 'text') return undefined;
  const text = read.text.slice(0, maxBytes).replace(/[\uD800-\uDBFF]$/, '');
  return text === '' ? undefined : { type: 'text', text };
}

/** The size of a member besides its text: quotes, a comma, a bracket. */
const MEMBER_BYTES = 4;

/** About how many bytes a value takes as JSON. Stops counting shortly after `enough`, so that a huge value costs no more than a large one. */
function weigh(value: Json | undefined, enough: number): number {
  let bytes = 0;
  const waiting: (Json | undefined)[] = [value];
  while (waiting.length > 0 && bytes <= enough) {
    const next = waiting.pop();
    bytes += MEMBER_BYTES;
    if (typeof next === 'string') bytes += next.length;
    else if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (isJsonObject(next)) {
      for (const [key, item] of Object.entries(next)) {
        bytes += key.length;
        waiting.push(item);
      }
    }
  }
  return bytes;
}
