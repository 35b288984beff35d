import type { Snapshot, Tool } from '../../catalog/index.ts';
import { editDistance } from '../../edit-distance.ts';
import { estimateTokens, type TokenCounter } from '../../gate/index.ts';
import { snapshotTokensInSteps } from '../../gate/internal.ts';
import type { SliceOptions } from '../../search/index.ts';
import { runInSlices, runToEnd } from '../../slices.ts';

const MOST_CHARACTERS = 256;

/**
 * The tool that a model means by a name. Exact first; then without quotes, spaces and `functions.`; then ignoring case and
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

/** Only letters and digits, in lower case: what remains of a name whose spelling may be wrong. */
function foldName(name: string): string {
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

/** Builds the tables for resolving names, with a yield after some tools each. */
function* indexNamesInSteps(snapshot: Snapshot): Generator<void, NameIndex> {
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

/**
 * Computes what plans and calls need from a catalog, with pauses for other work: the cost of each definition, and
 * the names that a model may write. Without it, the first caller computes all of it at once, which blocks other work in a
 * large catalog.
 */
export async function readAhead(
  snapshot: Snapshot,
  options: { readonly countTokens?: TokenCounter; readonly slices?: SliceOptions } = {},
): Promise<void> {
  const { countTokens = estimateTokens, slices } = options;
  await runInSlices(readInSteps(snapshot, countTokens), slices);
}

function* readInSteps(snapshot: Snapshot, countTokens: TokenCounter): Generator<void, void> {
  yield* snapshotTokensInSteps(snapshot, countTokens);
  yield* indexNamesInSteps(snapshot);
}

interface SuggestNameOptions {
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly allow?: ((tool: Tool) => boolean) | undefined;
}

const MOST_SUGGESTIONS = 3;
const MOST_COMPARED = 64;

/** The tools whose names are most similar to one that does not exist: at most three, as the model sees them; none if nothing is similar. */
export function suggestName(options: SuggestNameOptions): readonly string[] {
  const { snapshot, allow } = options;
  const asked = foldName(options.name.slice(0, MOST_COMPARED));
  if (asked === '') return [];
  const near: { name: string; distance: number }[] = [];
  for (const tool of snapshot.tools) {
    if (allow !== undefined && !allow(tool)) continue;
    const name = snapshot.modelName(tool);
    const distance = Math.min(
      nameDistance(asked, foldName(name.slice(0, MOST_COMPARED))),
      nameDistance(asked, foldName(tool.name.slice(0, MOST_COMPARED))),
    );
    if (distance < Number.POSITIVE_INFINITY) near.push({ name, distance });
  }
  return near
    .sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map(({ name }) => name);
}

/** From this length on, a name within another counts as its short form. */
const SHORTEST_PART = 4;

/**
 * How far two names are apart, to distinguish a misspelled name from an unrelated one: edits, infinite above a third of the
 * longer name; a name within the other is also near, but never nearer than a misspelling. Both as normalized by the caller,
 * neither empty.
 */
export function nameDistance(left: string, right: string): number {
  if (left === '' || right === '') return Number.POSITIVE_INFINITY;
  const limit = Math.floor(Math.max(left.length, right.length) / 3);
  const isPart = Math.min(left.length, right.length) >= SHORTEST_PART && (right.includes(left) || left.includes(right));
  return isPart ? Math.min(limit + 1, Math.abs(left.length - right.length)) : editDistance(left, right, limit);
}
