import type { Snapshot, Tool } from '../catalog/index.ts';
import { memoized } from '../memoized.ts';
import { runToEnd } from '../slices.ts';

/** Counts the tokens of a text. Must always return the same count for the same text. */
export type TokenCounter = (text: string) => number;

/** Characters per token: rough, but a threshold needs no precision, and it costs nothing. */
const CHARACTERS_PER_TOKEN = 4;

/** Characters / 4, rounded up. Takes a text, or only its length. */
export function estimateTokens(text: { readonly length: number }): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** The cost of a snapshot's definitions, tool by tool, in catalog order. */
export interface SnapshotTokens {
  readonly total: number;
  readonly byTool: ReadonlyMap<Tool, number>;
}

const TOOLS_PER_STEP = 16;

const countedBy = memoized((_: TokenCounter) => new WeakMap<Snapshot, SnapshotTokens>());

/** Counted once per snapshot and counter, so deciding again costs nothing. */
export function snapshotTokens(snapshot: Snapshot, count: TokenCounter = estimateTokens): SnapshotTokens {
  return countedBy(count).get(snapshot) ?? runToEnd(snapshotTokensInSteps(snapshot, count));
}

/** The same with a yield after some tools each, for catalogs so large that others would wait. */
export function* snapshotTokensInSteps(
  snapshot: Snapshot,
  count: TokenCounter = estimateTokens,
): Generator<void, SnapshotTokens> {
  const known = countedBy(count).get(snapshot);
  if (known !== undefined) return known;
  const byTool = new Map<Tool, number>();
  let total = 0;
  for (const tool of snapshot.tools) {
    const cost = count(
      JSON.stringify({ name: snapshot.modelName(tool), description: tool.description, parameters: tool.schema }),
    );
    byTool.set(tool, cost);
    total += cost;
    if (byTool.size % TOOLS_PER_STEP === 0) yield;
  }
  const tokens = { total, byTool };
  countedBy(count).set(snapshot, tokens);
  return tokens;
}
