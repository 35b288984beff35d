import type { Sql } from './sql.ts';

/** What every area of the store works with. */
export interface StoreContext {
  readonly sql: Sql;
  /** Milliseconds since 1970, the same for all replicas. */
  readonly now: () => number;
  /** A new unique id that begins with the prefix. */
  readonly createId: (prefix: string) => string;
}
