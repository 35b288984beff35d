import { isJsonObject } from '../catalog/index.ts';
import { cutText } from '../disclosure/index.ts';
import type { ToolOutcome } from './call.ts';

const MOST_ERROR_CHARACTERS = 2_000;

/**
 * What a tool returned, for the model: a string as it is, an MCP result by its text, or its structured content where it has
 * none, and its `isError`; anything else as JSON.
 */
export function toOutcome(value: unknown): ToolOutcome {
  const isError = isJsonObject(value) && value.isError === true;
  return { text: textOf(value), value, isError };
}

/** A tool that throws has answered: with an error. */
export function toFailure(error: unknown): ToolOutcome {
  const message = error instanceof Error ? error.message : String(error);
  return { text: cutText(message === '' ? 'The tool failed' : message, MOST_ERROR_CHARACTERS), isError: true };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  const blocks = isJsonObject(value) && Array.isArray(value.content) ? value.content : [];
  const texts = blocks.flatMap((block) => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : []));
  if (texts.some((text) => text !== '')) return texts.join('\n');
  if (isJsonObject(value) && value.structuredContent !== undefined) return stringify(value.structuredContent);
  return texts.length > 0 ? '' : stringify(value);
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A cycle, or a BigInt: the tool's author can do better, the model should still learn something.
    return String(value);
  }
}
