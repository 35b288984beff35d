import { parseTools, type Tool } from '@quartermaster/core';
import { runInSlices } from '@quartermaster/core/internal';
import type { SliceOptions } from '@quartermaster/core/search';
import { endOfMembers } from '../http/json-scan.ts';

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
    const end = endOfMembers(text, start, STEP_CHARACTERS);
    for (const tool of parseTools(JSON.parse(`[${text.slice(start, end)}]`)).tools) tools.push(tool);
    // Past the comma.
    start = end + 1;
    yield;
  }
  return tools;
}
