import { addToList } from '../../add-to-list.ts';
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
  if (FOLDED.test(name)) return name;
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

const FOLDED = /^[a-z0-9]*$/;

function stripName(name: string): string {
  return name
    .trim()
    .replace(/^[`'"“”‘’<([{]+|[`'"“”‘’>)\]}]+$/gu, '')
    .replace(/\(\s*$/, '')
    .trim()
    .replace(/^functions?[.:/]/i, '')
    .replace(/\s+/g, '_');
}

/** Only so much of a name is compared with others. */
const MOST_COMPARED = 64;

function foldStart(name: string): string {
  return foldName(name.slice(0, MOST_COMPARED));
}

interface NameIndex {
  /** By the name that the model sees, and by the id. */
  readonly full: ReadonlyMap<string, readonly Tool[]>;
  /** By the name alone, server left out. */
  readonly short: ReadonlyMap<string, readonly Tool[]>;
  /** For each tool, in the order of the snapshot, the start of its two names, folded: to compare a name that doesn't exist with. */
  readonly starts: readonly (readonly [string, string])[];
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
  const starts: (readonly [string, string])[] = [];
  for (const tool of snapshot.tools) {
    const modelName = snapshot.modelName(tool);
    const folded = [foldName(modelName), foldName(tool.name)] as const;
    for (const key of new Set([folded[0], foldName(tool.id)])) addToList(full, key, tool);
    addToList(short, folded[1], tool);
    const isLong = Math.max(modelName.length, tool.name.length) > MOST_COMPARED;
    starts.push(isLong ? [foldStart(modelName), foldStart(tool.name)] : folded);
    if (starts.length % TOOLS_PER_STEP === 0) yield;
  }
  const index = { full, short, starts };
  indexes.set(snapshot, index);
  return index;
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
/** Pairs of letters that are compared for one name, some 20 ms: in a huge catalog, later tools are not suggested. */
const MOST_WORK = 3_000_000;

/** The tools whose names are most similar to one that does not exist: at most three, as the model sees them; none if nothing is similar. */
export function suggestName(options: SuggestNameOptions): readonly string[] {
  const { snapshot, allow } = options;
  const asked = foldStart(options.name);
  if (asked === '') return [];
  const { starts } = indexOf(snapshot);
  /** The nearest so far, the nearest first. */
  const near: { readonly name: string; readonly distance: number }[] = [];
  let work = 0;
  for (const [at, tool] of snapshot.tools.entries()) {
    if (allow !== undefined && !allow(tool)) continue;
    const [full = '', short = ''] = starts[at] ?? [];
    const farthest = near.length < MOST_SUGGESTIONS ? undefined : near.at(-1);
    const most = farthest?.distance ?? MOST_COMPARED;
    work += 2 * asked.length * Math.min(2 * most + 1, MOST_COMPARED);
    if (work > MOST_WORK) break;
    const distance = Math.min(nameDistance(asked, full, most), nameDistance(asked, short, most));
    if (distance === Number.POSITIVE_INFINITY) continue;
    const name = snapshot.modelName(tool);
    if (farthest !== undefined && distance === farthest.distance && name >= farthest.name) continue;
    const place = near.findIndex((one) => distance < one.distance || (distance === one.distance && name < one.name));
    near.splice(place < 0 ? near.length : place, 0, { name, distance });
    if (near.length > MOST_SUGGESTIONS) near.pop();
  }
  return near.map(({ name }) => name);
}

/** From this length on, a name within another counts as its short form. */
const SHORTEST_PART = 4;

/**
 * How far two names are apart, to distinguish a misspelled name from an unrelated one: edits, infinite above a third of the
 * longer name and above `most`; a name within the other is also near, but never nearer than a misspelling. Both as normalized by
 * the caller, neither empty.
 */
export function nameDistance(left: string, right: string, most: number = Number.POSITIVE_INFINITY): number {
  if (left === '' || right === '') return Number.POSITIVE_INFINITY;
  const limit = Math.floor(Math.max(left.length, right.length) / 3);
  const isPart = Math.min(left.length, right.length) >= SHORTEST_PART && (right.includes(left) || left.includes(right));
  if (!isPart) return editDistance(left, right, Math.min(limit, most));
  const distance = Math.min(limit + 1, Math.abs(left.length - right.length));
  return distance <= most ? distance : Number.POSITIVE_INFINITY;
}
