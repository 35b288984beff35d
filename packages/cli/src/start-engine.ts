import type { Searcher, Snapshot } from '@quartermaster/core';
import type { CommandIo } from './command-io.ts';
import { type CreateSearcherOptions, createSearcher, type EngineName, resolveEngine } from './create-searcher.ts';
import { whileShowing } from './terminal/index.ts';

export interface StartEngineOptions extends CreateSearcherOptions {
  readonly io: Pick<CommandIo, 'stderr'>;
}

/** A searcher, with the engine that its name means and why. Its models may take a second to load, which a terminal is told. */
export async function startEngine(
  name: EngineName,
  snapshot: Snapshot,
  { io, ...options }: StartEngineOptions,
): Promise<{ readonly engine: EngineName; readonly reason: string; readonly searcher: Searcher }> {
  return await whileShowing(io, 'Loading the search engine', async () => {
    const resolved = await resolveEngine(name);
    return { ...resolved, searcher: await createSearcher(resolved.engine, snapshot, options) };
  });
}
