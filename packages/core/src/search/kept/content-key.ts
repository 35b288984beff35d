import { searchText, sha256, type Tool } from '../../catalog/index.ts';
import { stepThrough } from '../slices/index.ts';

/**
 * Stands for everything that an index of these tools depends on: what each can be found by, in order. Whatever else changes in a
 * definition leaves the index as it is. A hash of hashes, each of a few tools, so that it can be worked out in steps.
 */
export function* contentKeyInSteps(
  tools: readonly Tool[],
  digest: (text: string) => string = (text) => sha256([text]),
): Generator<void, string> {
  let hashes = `${tools.length}`;
  yield* stepThrough(tools.length, (first) => {
    const end = Math.min(first + TOOLS_PER_STEP, tools.length);
    let text = '';
    for (let at = first; at < end; at += 1) text += renderText(tools[at] as Tool);
    hashes += ` ${digest(text)}`;
    return end;
  });
  return digest(hashes);
}

const TOOLS_PER_STEP = 32;

/** 64 bits for each tool that stand for what it can be found by: two that are the same have the same index entries and vectors. */
export function* markToolsInSteps(
  tools: readonly Tool[],
  digest: (text: string) => string = (text) => sha256([text]),
): Generator<void, Uint32Array<ArrayBuffer>> {
  const marks = new Uint32Array(2 * tools.length);
  yield* stepThrough(tools.length, (first) => {
    const end = Math.min(first + TOOLS_PER_STEP, tools.length);
    for (let at = first; at < end; at += 1) {
      const hash = digest(renderText(tools[at] as Tool));
      marks[2 * at] = Number.parseInt(hash.slice(0, 8), 16);
      marks[2 * at + 1] = Number.parseInt(hash.slice(8, 16), 16);
    }
    return end;
  });
  return marks;
}

/** Lengths before texts, so that two different tools never give the same. */
function renderText(tool: Tool): string {
  const { name, server, description, parameterNames, parameterDescriptions, enumValues } = searchText(tool);
  let text = `${name.length},${server.length},${description.length},${parameterNames.length},${parameterDescriptions.length},${enumValues.length};${name}${server}${description}`;
  for (const list of [parameterNames, parameterDescriptions, enumValues]) {
    for (const part of list) text += `${part.length};${part}`;
  }
  return text;
}
