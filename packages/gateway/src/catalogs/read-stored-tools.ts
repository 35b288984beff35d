import { parseTools, type Tool } from '@quartermaster/core';
import { runInSlices } from '@quartermaster/core/internal';
import type { SliceOptions } from '@quartermaster/core/search';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';

/** A step reads about this much text: well below a millisecond. */
const STEP_CHARACTERS = 32 * 1024;

/**
 * The tools of a stored catalog, from the text that `JSON.stringify` made of its definitions. A few at a time, with pauses for other
 * work: the text may be as long as any body.
 */
export function readStoredTools(text: string, slices?: SliceOptions): Promise<readonly Tool[]> {
  return runInSlices(readInSteps(text), slices);
}

function* readInSteps(text: string): Generator<void, readonly Tool[]> {
  const tools: Tool[] = [];
  for (let start = 1; start < text.length - 1; ) {
    const end = endOfSome(text, start);
    for (const tool of parseTools(JSON.parse(`[${text.slice(start, end)}]`)).tools) tools.push(tool);
    // Past the comma.
    start = end + 1;
    yield;
  }
  return tools;
}

/** The position after some whole members of the list; the first one begins at `start`. */
function endOfSome(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth -= 1;
        // The bracket of the list itself.
        if (depth < 0) return at;
        break;
      case COMMA:
        if (depth === 0 && at - start >= STEP_CHARACTERS) return at;
        break;
    }
  }
  return text.length;
}

/** The position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
