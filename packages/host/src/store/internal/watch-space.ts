import { StoreError } from '../store-error.ts';
import type { Sql } from './sql.ts';

export interface SpaceWatch {
  readonly sql: Sql;
  /** Fails if a write failed recently because the disk is full. Then it tries `write`, because no other work may be writing any more. */
  check(write: () => Promise<void>): Promise<void>;
}

/** How long a shortage is assumed to last: a small write still fits where the one that failed did not. */
const SHORTAGE_MS = 30_000;

/** Remembers that a write failed because the disk is full: reads still work then. */
export function watchSpace(sql: Sql, now: () => number): SpaceWatch {
  let shortage: { readonly error: StoreError; readonly at: number } | undefined;

  async function note<Result>(write: Promise<Result>): Promise<Result> {
    try {
      return await write;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'full') shortage = { error, at: now() };
      throw error;
    }
  }

  return {
    sql: {
      ...sql,
      run: (text, values) => note(sql.run(text, values)),
      transaction: (work, options) => note(sql.transaction(work, options)),
    },
    async check(write) {
      if (shortage === undefined) return;
      if (now() - shortage.at < SHORTAGE_MS) throw shortage.error;
      await write();
      shortage = undefined;
    },
  };
}
