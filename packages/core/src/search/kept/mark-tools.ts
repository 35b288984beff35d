import { searchText, sha256, type Tool } from '../../catalog/index.ts';
import { stepThrough } from '../slices/index.ts';

/** What an index of some tools depends on: what each can be found by, in order. Nothing else in a definition changes the index. */
export interface MarkedTools {
  /** Stands for all of it. */
  readonly key: string;
  /** Two numbers for each tool: 64 bits of a hash. Tools with the same marks have the same tokens and vectors. */
  readonly marks: Uint32Array<ArrayBuffer>;
}

/** Hashes the text of each tool, once for each tool object, and those hashes in turn. */
export function* markToolsInSteps(
  tools: readonly Tool[],
  digest: (text: string) => string = (text) => sha256([text]),
): Generator<void, MarkedTools> {
  const marks = new Uint32Array(2 * tools.length);
  let key = digest(`${tools.length}`);
  yield* stepThrough(tools.length, (first) => {
    const end = Math.min(first + TOOLS_PER_STEP, tools.length);
    for (let at = first; at < end; at += 1) {
      const hash = hashOf(tools[at] as Tool, digest);
      marks[2 * at] = Number.parseInt(hash.slice(0, 8), 16);
      marks[2 * at + 1] = Number.parseInt(hash.slice(8, 16), 16);
      key += hash;
    }
    key = digest(key);
    return end;
  });
  return { key, marks };
}

const TOOLS_PER_STEP = 32;

/** Tools are not changed once they are made, and a server that lists its tools again leaves those of the others as they are. */
const hashes = new WeakMap<Tool, string>();

function hashOf(tool: Tool, digest: (text: string) => string): string {
  const known = hashes.get(tool);
  if (known !== undefined) return known;
  const hash = digest(renderText(tool));
  hashes.set(tool, hash);
  return hash;
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
