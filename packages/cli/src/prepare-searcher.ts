import type { Searcher, Snapshot } from '@quartermaster/core';
import type { CommandIo } from './command-io.ts';
import { counted, startProgress } from './terminal/index.ts';

/** Builds the index. Pauses from time to time, so that the progress of a large one can be shown. */
export async function prepareSearcher(
  searcher: Searcher,
  snapshot: Snapshot,
  io: Pick<CommandIo, 'stderr'>,
): Promise<void> {
  if (searcher.prepare === undefined || !isLarge(snapshot)) return;
  const progress = startProgress(io);
  const timer = setInterval(
    () => progress.update(`Building the index of ${counted(snapshot.tools.length, 'tool')}`),
    100,
  );
  try {
    await searcher.prepare();
  } finally {
    clearInterval(timer);
    progress.end();
  }
}

/** Whether work on the whole catalog takes long enough to report it. */
export function isLarge({ tools }: Snapshot): boolean {
  return tools.length >= LARGE_CATALOG;
}

const LARGE_CATALOG = 5_000;
