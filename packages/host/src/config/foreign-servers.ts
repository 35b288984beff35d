import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Path } from './shape.ts';

/** The servers in one file, wherever their client keeps them. */
export interface ServerBlock {
  /** The name of the block in messages. */
  readonly label: string;
  readonly entries: readonly ServerEntry[];
  /** Definitions of `${input:…}`, in VS Code's format. */
  readonly inputs: readonly JsonObject[];
}

interface ServerEntry {
  readonly name: string;
  readonly entry: unknown;
  /** Its place in the file. */
  readonly path: Path;
}

/** The names of the block in different clients. Gemini CLI has `mcp` as well as `mcpServers`, so `mcp` comes last. */
const BLOCKS: readonly Path[] = [
  ['mcpServers'],
  ['servers'],
  ['context_servers'],
  ['mcp_servers'],
  ['mcp', 'servers'],
  ['mcp'],
];

/** The servers in another program's file. Undefined if there is no block of servers. */
export function findServers(document: unknown): ServerBlock | undefined {
  for (const path of BLOCKS) {
    const block = valueAt(document, path);
    const label = path.join('.');
    if (Array.isArray(block) && label === 'mcpServers') {
      const entries = block.map((entry: unknown, at) => ({ name: nameOf(entry, at), entry, path: [...path, at] }));
      return { label, entries, inputs: [] };
    }
    if (!isJsonObject(block) || (label === 'mcp' && !Object.values(block).some(isOpencodeEntry))) continue;
    const entries = Object.entries(block).map(([name, entry]) => ({ name, entry, path: [...path, name] }));
    const inputs = valueAt(document, [...path.slice(0, -1), 'inputs']);
    return { label, entries, inputs: Array.isArray(inputs) ? inputs.filter(isJsonObject) : [] };
  }
  return undefined;
}

function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    document,
  );
}

function isOpencodeEntry(entry: unknown): boolean {
  return isJsonObject(entry) && ['type', 'command', 'url', 'enabled'].some((key) => Object.hasOwn(entry, key));
}

/** Continue keeps its servers in a list, each with its name. */
function nameOf(entry: unknown, index: number): string {
  const name = isJsonObject(entry) ? entry.name : undefined;
  return typeof name === 'string' && name !== '' ? name : `mcpServers[${index}]`;
}

/** JSON with comments as plain JSON; comments become spaces, so that every line stays in place. */
export function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (match) => (match.startsWith('"') ? match : match.replace(/[^\n]/g, ' ')));
}

const STRING_OR_COMMENT = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
