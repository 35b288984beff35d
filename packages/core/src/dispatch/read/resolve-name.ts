import type { Snapshot, Tool } from '../../catalog/index.ts';
import { runToEnd } from '../../search/index.ts';

const MOST_CHARACTERS = 256;

/**
 * The tool that a model means by a name. Exact first; then without quotes, spaces and `functions.`; then in any case and
 * punctuation, with or without its server (`github.create_issue`, `mcp__github__create_issue`, `Create Issue`), where
 * only one tool fits. What `allow` excludes takes no part: it neither fits nor makes another ambiguous.
 */
export function resolveName(snapshot: Snapshot, name: string, allow?: (tool: Tool) => boolean): Tool | undefined {
  const isAllowed = (tool: Tool | undefined): tool is Tool =>
    tool !== undefined && (allow === undefined || allow(tool));
  const exact = snapshot.resolve(name);
  if (isAllowed(exact)) return exact;
  if (name.length > MOST_CHARACTERS) return undefined;
  const bare = stripName(name);
  const stripped = snapshot.resolve(bare);
  if (isAllowed(stripped)) return stripped;
  const index = indexOf(snapshot);
  const folded = foldName(bare);
  for (const key of new Set([folded, folded.replace(/^(?:mcp|functions?)/, '')])) {
    const full = (index.full.get(key) ?? []).filter(isAllowed);
    if (full.length === 1) return full[0];
    const short = (index.short.get(key) ?? []).filter(isAllowed);
    if (full.length === 0 && short.length === 1) return short[0];
  }
  return undefined;
}

/** Letters and digits alone, in lower case: what is left of a name when its spelling is not trusted. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

function stripName(name: string): string {
  return name
    .trim()
    .replace(/^[`'"“”‘’<([{]+|[`'"“”‘’>)\]}]+$/gu, '')
    .replace(/\(\s*$/, '')
    .trim()
    .replace(/^functions?[.:/]/i, '')
    .replace(/\s+/g, '_');
}

interface NameIndex {
  /** By the name that the model sees, and by the id. */
  readonly full: ReadonlyMap<string, readonly Tool[]>;
  /** By the name alone, server left out. */
  readonly short: ReadonlyMap<string, readonly Tool[]>;
}

const TOOLS_PER_STEP = 64;

const indexes = new WeakMap<Snapshot, NameIndex>();

function indexOf(snapshot: Snapshot): NameIndex {
  return indexes.get(snapshot) ?? runToEnd(indexNamesInSteps(snapshot));
}

/** Makes what names are resolved with, with a yield after some tools each. */
export function* indexNamesInSteps(snapshot: Snapshot): Generator<void, NameIndex> {
  const known = indexes.get(snapshot);
  if (known !== undefined) return known;
  const full = new Map<string, Tool[]>();
  const short = new Map<string, Tool[]>();
  let done = 0;
  for (const tool of snapshot.tools) {
    for (const key of new Set([foldName(snapshot.modelName(tool)), foldName(tool.id)])) add(full, key, tool);
    add(short, foldName(tool.name), tool);
    done += 1;
    if (done % TOOLS_PER_STEP === 0) yield;
  }
  const index = { full, short };
  indexes.set(snapshot, index);
  return index;
}

function add(map: Map<string, Tool[]>, key: string, tool: Tool): void {
  const tools = map.get(key);
  if (tools === undefined) map.set(key, [tool]);
  else tools.push(tool);
}
