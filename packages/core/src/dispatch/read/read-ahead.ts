import type { Snapshot } from '../../catalog/index.ts';
import { estimateTokens, snapshotTokensInSteps, type TokenCounter } from '../../gate/index.ts';
import { runInSlices, type SliceOptions } from '../../search/index.ts';
import { indexNamesInSteps } from './resolve-name.ts';

/**
 * Works out what plans and calls need of a catalog, giving way to other work now and then: the cost of each definition, and
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
