import { StoreError } from '../store-error.ts';
import type { Sql } from './sql.ts';

export interface SpaceWatch {
  readonly sql: Sql;
  /** The error of the last write, if it failed for want of space. */
  full(): StoreError | undefined;
}

/** Remembers whether the last write failed for want of space: reading goes on working on a full disk. */
export function watchSpace(sql: Sql): SpaceWatch {
  let full: StoreError | undefined;

  async function note<Result>(write: Promise<Result>): Promise<Result> {
    try {
      const result = await write;
      full = undefined;
      return result;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'full') full = error;
      throw error;
    }
  }

  return {
    sql: {
      ...sql,
      run: (text, values) => note(sql.run(text, values)),
      transaction: (work, options) => note(sql.transaction(work, options)),
    },
    full: () => full,
  };
}
