import type { Snapshot } from '../../catalog/index.ts';
import type { Searcher } from '../../search/index.ts';
import { wordSearcher } from '../../testing/index.ts';

export interface PreparedSearchers {
  readonly searcher: (snapshot: Snapshot) => Searcher;
  /** The snapshots that searchers were made for, in order. */
  readonly made: readonly Snapshot[];
  /** The snapshots whose preparation was asked for, in order. */
  readonly prepared: readonly Snapshot[];
}

/** Searchers that count their preparations, which take as long as `prepare` does. */
export function preparedSearchers(prepare: () => Promise<void> = async () => {}): PreparedSearchers {
  const made: Snapshot[] = [];
  const prepared: Snapshot[] = [];
  return {
    made,
    prepared,
    searcher(snapshot) {
      made.push(snapshot);
      return {
        ...wordSearcher(snapshot),
        engine: 'hybrid',
        prepare() {
          prepared.push(snapshot);
          return prepare();
        },
      };
    },
  };
}

/** Lets everything that waits for a turn of the event loop have some. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
