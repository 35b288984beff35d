import { setImmediate } from 'node:timers/promises';
import {
  BATCH_LIFETIME_MS,
  type Batch,
  type BatchPage,
  type BatchQuery,
  type BatchResult,
  type NewBatch,
  type NewBatchItem,
  type Outcome,
} from '../batch-store.ts';
import { StoreError } from '../store-error.ts';
import { readBatch } from './batch-rows.ts';
import { decodeText, encodeName, encodeText, numberOf, textOf } from './columns.ts';
import { placeholders, type SqlValue } from './sql.ts';
import type { StoreContext } from './store-context.ts';

/** Limits of one `INSERT`: its placeholders, and the bytes that are copied in one piece. */
const INSERT_ITEMS = 500;
const INSERT_CHARACTERS = 1_000_000;

/** How many results are read at a time; each can be as long as a model's answer. */
const RESULTS_PAGE = 50;

const MOST_LISTED = 1000;

export async function createBatch(context: StoreContext, batch: NewBatch): Promise<Batch> {
  const { sql, now, createId } = context;
  const names = batch.items.map((item) => encodeName(item.customId, 'custom id'));
  if (batch.items.length === 0) throw new StoreError('invalid_value', 'A batch needs at least one item');
  if (new Set(names).size < names.length) {
    throw new StoreError('invalid_value', 'Two items of a batch have the same custom id');
  }
  const createdAt = now();
  const created: Batch = {
    id: createId('msgbatch_'),
    owner: batch.owner,
    status: 'in_progress',
    counts: { processing: batch.items.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    createdAt,
    expiresAt: createdAt + BATCH_LIFETIME_MS,
  };
  await sql.transaction(async (statements) => {
    await statements.run(
      `INSERT INTO batches (id, owner, headers, created_at, expires_at, processing, succeeded, errored, canceled, expired)
       VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0)`,
      [
        ...[created.id, encodeText(batch.owner), JSON.stringify(batch.headers ?? {})],
        ...[createdAt, created.expiresAt, batch.items.length],
      ],
    );
    let position = 0;
    for (const items of insertable(batch.items)) {
      const values: SqlValue[] = [];
      for (const item of items) {
        values.push(created.id, position, names[position] ?? '', item.params, createdAt, created.expiresAt, 0);
        position += 1;
      }
      await statements.run(
        `INSERT INTO batch_items (batch_id, position, custom_id, params, available_at, claimable_until, attempts)
         VALUES ${placeholders(items.length, 7)}`,
        values,
      );
      // A batch may have 100,000 items: other work runs between the pieces.
      await setImmediate();
    }
  });
  return created;
}

export async function listBatches(context: StoreContext, query: BatchQuery): Promise<BatchPage | undefined> {
  const limit = Math.min(Math.max(Math.trunc(query.limit), 1), MOST_LISTED);
  const owner = encodeText(query.owner);
  const isNewer = query.cursor?.kind === 'before';
  let bound = '';
  const values: SqlValue[] = [owner];
  if (query.cursor !== undefined) {
    const [cursor] = await context.sql.all('SELECT created_at, id FROM batches WHERE id = ? AND owner = ?', [
      encodeText(query.cursor.id),
      owner,
    ]);
    if (cursor === undefined) return undefined;
    bound = `AND (created_at, id) ${isNewer ? '>' : '<'} (?, ?)`;
    values.push(numberOf(cursor, 'created_at'), textOf(cursor, 'id'));
  }
  const direction = isNewer ? 'ASC' : 'DESC';
  const rows = await context.sql.all(
    `SELECT * FROM batches WHERE owner = ? ${bound} ORDER BY created_at ${direction}, id ${direction} LIMIT ?`,
    [...values, limit + 1],
  );
  const batches = rows.slice(0, limit).map(readBatch);
  return { batches: isNewer ? batches.reverse() : batches, hasMore: rows.length > limit };
}

export async function* readResults(
  context: StoreContext,
  batch: { readonly id: string; readonly owner: string },
): AsyncGenerator<BatchResult> {
  let last = -1;
  while (true) {
    const rows = await context.sql.all(
      `SELECT position, custom_id, outcome, result FROM batch_items
       WHERE batch_id = ? AND position > ? AND outcome IS NOT NULL
         AND EXISTS (SELECT 1 FROM batches WHERE id = ? AND owner = ?)
       ORDER BY position LIMIT ?`,
      [batch.id, last, batch.id, encodeText(batch.owner), RESULTS_PAGE],
    );
    for (const row of rows) {
      last = numberOf(row, 'position');
      yield {
        customId: decodeText(textOf(row, 'custom_id')),
        outcome: textOf(row, 'outcome') as Outcome,
        result: textOf(row, 'result'),
      };
    }
    if (rows.length < RESULTS_PAGE) return;
  }
}

function* insertable(items: readonly NewBatchItem[]): Generator<readonly NewBatchItem[]> {
  let piece: NewBatchItem[] = [];
  let characters = 0;
  for (const item of items) {
    piece.push(item);
    characters += item.params.length;
    if (piece.length === INSERT_ITEMS || characters >= INSERT_CHARACTERS) {
      yield piece;
      piece = [];
      characters = 0;
    }
  }
  if (piece.length > 0) yield piece;
}
