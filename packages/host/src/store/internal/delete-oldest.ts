import { numberOf, textOf } from './columns.ts';
import { ROWS_AT_ONCE, type Statements } from './sql.ts';

/** Deletes the oldest rows until the sizes of the others are within the limit; returns how many were deleted. */
export async function deleteOldest(
  sql: Statements,
  rows: {
    readonly table: string;
    /** The column that names a row. */
    readonly id: string;
    /** The column with the age. */
    readonly order: string;
    readonly maxBytes: number;
    delete(ids: readonly string[]): Promise<unknown>;
  },
): Promise<number> {
  const { table, id, order } = rows;
  const [sum] = await sql.all(`SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS size FROM ${table}`);
  let excess = (sum === undefined ? 0 : numberOf(sum, 'size')) - rows.maxBytes;
  let deleted = 0;
  while (excess > 0) {
    const oldest = await sql.all(`SELECT ${id}, size FROM ${table} ORDER BY ${order}, ${id} LIMIT ?`, [ROWS_AT_ONCE]);
    if (oldest.length === 0) break;
    const gone: string[] = [];
    for (const row of oldest) {
      if (excess <= 0) break;
      gone.push(textOf(row, id));
      excess -= numberOf(row, 'size');
    }
    await rows.delete(gone);
    deleted += gone.length;
  }
  return deleted;
}
