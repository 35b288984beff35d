import { defined } from '@quartermaster/core/internal';
import type { Batch, Outcome } from '../batch-store.ts';
import { decodedOf, numberOf, optionalNumberOf, textOf } from './columns.ts';
import { lockRows, type Row, type Statements } from './sql.ts';

export function readBatch(row: Row): Batch {
  const cancelInitiatedAt = optionalNumberOf(row, 'cancel_initiated_at');
  const endedAt = optionalNumberOf(row, 'ended_at');
  return {
    id: textOf(row, 'id'),
    owner: decodedOf(row, 'owner'),
    status: endedAt !== undefined ? 'ended' : cancelInitiatedAt !== undefined ? 'canceling' : 'in_progress',
    counts: {
      processing: numberOf(row, 'processing'),
      succeeded: numberOf(row, 'succeeded'),
      errored: numberOf(row, 'errored'),
      canceled: numberOf(row, 'canceled'),
      expired: numberOf(row, 'expired'),
    },
    createdAt: numberOf(row, 'created_at'),
    expiresAt: numberOf(row, 'expires_at'),
    ...defined({ cancelInitiatedAt, endedAt }),
  };
}

/** Every transaction that changes counts locks the batch's row first and its items after, so that there are no deadlocks. */
export async function lockBatch(statements: Statements, id: string): Promise<Batch | undefined> {
  const [row] = await statements.all(`SELECT * FROM batches WHERE id = ? ${lockRows(statements.dialect)}`, [id]);
  return row === undefined ? undefined : readBatch(row);
}

export interface Settlement {
  readonly outcome: Outcome;
  /** How many items left `processing`. */
  readonly items: number;
  readonly now: number;
}

/** Moves items from `processing` to an outcome, and ends the batch with the last one. */
export async function countSettled(statements: Statements, id: string, settlement: Settlement): Promise<void> {
  const { outcome, items, now } = settlement;
  const column = COUNTERS[outcome];
  await statements.run(
    `UPDATE batches SET processing = processing - ?, ${column} = ${column} + ?,
       ended_at = CASE WHEN processing = ? THEN ? ELSE ended_at END
     WHERE id = ?`,
    [items, items, items, now, id],
  );
}

/** Ends a locked batch's items that no worker has claimed, and counts them. Those under a live lease stay. */
export async function settleIdleItems(
  statements: Statements,
  id: string,
  settlement: { readonly outcome: 'canceled' | 'expired'; readonly now: number },
): Promise<void> {
  const { outcome, now } = settlement;
  const items = await statements.run(
    `UPDATE batch_items SET outcome = ?, result = ?, params = NULL, progress = NULL, lease = NULL
     WHERE batch_id = ? AND outcome IS NULL AND (lease IS NULL OR available_at <= ?)`,
    [outcome, JSON.stringify({ type: outcome }), id, now],
  );
  if (items > 0) await countSettled(statements, id, { outcome, items, now });
}

/** A column's name can't be bound as a value, so it never comes from outside. */
const COUNTERS: Readonly<Record<Outcome, string>> = {
  succeeded: 'succeeded',
  errored: 'errored',
  canceled: 'canceled',
  expired: 'expired',
};
