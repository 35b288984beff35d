import { setImmediate } from 'node:timers/promises';
import {
  BATCH_LIFETIME_MS,
  BATCH_RETENTION_MS,
  type Batch,
  type BatchStore,
  type NewBatchItem,
  type Outcome,
} from '../batch-store.ts';
import { StoreError } from '../store-error.ts';

import { lockBatch, readBatch, settleIdleItems } from './batch-rows.ts';
import { decodedOf, encodeName, encodeText, numberOf, textOf } from './columns.ts';
import { type Condition, insertRows, ROWS_AT_ONCE, type Statements, where } from './sql.ts';
import type { StoreContext } from './store-context.ts';

/** The most characters that one `INSERT` copies in one piece. */
const INSERT_CHARACTERS = 1_000_000;

/** How many results are read at a time; each can be as long as a model's answer. */
const RESULTS_PAGE = 50;

const MOST_LISTED = 1000;

/** What the owners of batches do. */
export function batchRecords(
  context: StoreContext,
): Pick<BatchStore, 'create' | 'get' | 'list' | 'results' | 'cancel' | 'delete' | 'sweep'> {
  const { sql, now, createId } = context;
  return {
    async create({ owner, headers = {}, items }) {
      const names = items.map((item) => encodeName(item.customId, 'custom id'));
      if (items.length === 0) throw new StoreError('invalid_value', 'A batch needs at least one item');
      if (new Set(names).size < names.length) {
        throw new StoreError('invalid_value', 'Two items of a batch have the same custom id');
      }
      const [id, createdAt] = [createId('msgbatch_'), now()];
      const expiresAt = createdAt + BATCH_LIFETIME_MS;
      const counts = { processing: items.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
      await sql.transaction(async (statements) => {
        const times = { created_at: createdAt, expires_at: expiresAt };
        const row = { id, owner: encodeText(owner), headers: JSON.stringify(headers), ...times, ...counts };
        await insertRows(statements, 'batches', [row]);
        let position = 0;
        for (const piece of insertable(items)) {
          const rows = piece.map(({ params }, at) => ({
            ...{ batch_id: id, position: position + at, custom_id: names[position + at] ?? '', params },
            ...{ available_at: createdAt, claimable_until: expiresAt, attempts: 0 },
          }));
          await insertRows(statements, 'batch_items', rows);
          position += piece.length;
          // A batch may have 100,000 items: other work runs between the pieces.
          await setImmediate();
        }
      });
      return { id, owner, status: 'in_progress', counts, createdAt, expiresAt };
    },

    async get(id, owner) {
      const values = [encodeText(id), encodeText(owner)];
      const [row] = await sql.all('SELECT * FROM batches WHERE id = ? AND owner = ?', values);
      return row === undefined ? undefined : readBatch(row);
    },

    async list({ owner, cursor, limit: most }) {
      const limit = Math.min(Math.max(Math.trunc(most), 1), MOST_LISTED);
      const mine: Condition = ['owner = ?', encodeText(owner)];
      const isNewer = cursor?.kind === 'before';
      const [comparison, direction] = isNewer ? ['>', 'ASC'] : ['<', 'DESC'];
      let bound: Condition = ['', undefined];
      if (cursor !== undefined) {
        const { text, values } = where(['id = ?', encodeText(cursor.id)], mine);
        const [row] = await sql.all(`SELECT created_at, id FROM batches ${text}`, values);
        if (row === undefined) return undefined;
        bound = [`(created_at, id) ${comparison} (?, ?)`, numberOf(row, 'created_at'), textOf(row, 'id')];
      }
      const { text, values } = where(mine, bound);
      const rows = await sql.all(
        `SELECT * FROM batches ${text} ORDER BY created_at ${direction}, id ${direction} LIMIT ?`,
        [...values, limit + 1],
      );
      const batches = rows.slice(0, limit).map(readBatch);
      return { batches: isNewer ? batches.reverse() : batches, hasMore: rows.length > limit };
    },

    async *results(id, owner) {
      const batch = encodeText(id);
      let last = -1;
      while (true) {
        const rows = await sql.all(
          `SELECT position, custom_id, outcome, result FROM batch_items
           WHERE batch_id = ? AND position > ? AND outcome IS NOT NULL
             AND EXISTS (SELECT 1 FROM batches WHERE id = ? AND owner = ?)
           ORDER BY position LIMIT ?`,
          [batch, last, batch, encodeText(owner), RESULTS_PAGE],
        );
        for (const row of rows) {
          last = numberOf(row, 'position');
          const customId = decodedOf(row, 'custom_id');
          yield { customId, outcome: textOf(row, 'outcome') as Outcome, result: textOf(row, 'result') };
        }
        if (rows.length < RESULTS_PAGE) return;
      }
    },

    cancel: (id, owner) =>
      sql.transaction(async (statements) => {
        const batch = await lockBatch(statements, encodeText(id));
        if (batch === undefined || batch.owner !== owner || batch.status === 'ended') return owned(batch, owner);
        const at = now();
        await statements.run('UPDATE batches SET cancel_initiated_at = COALESCE(cancel_initiated_at, ?) WHERE id = ?', [
          at,
          batch.id,
        ]);
        await settleIdleItems(statements, batch.id, { outcome: 'canceled', now: at });
        await statements.run('UPDATE batch_items SET claimable_until = 0 WHERE batch_id = ? AND outcome IS NULL', [
          batch.id,
        ]);
        return lockBatch(statements, batch.id);
      }),

    delete: (id, owner) =>
      sql.transaction(async (statements) => {
        const batch = owned(await lockBatch(statements, encodeText(id)), owner);
        if (batch === undefined) return 'unknown';
        if (batch.status !== 'ended') return 'not-ended';
        await deleteBatch(batch.id, statements);
        return 'deleted';
      }),

    async sweep() {
      const at = now();
      const idle = await sql.all(
        'SELECT id FROM batches WHERE ended_at IS NULL AND (expires_at <= ? OR cancel_initiated_at IS NOT NULL)',
        [at],
      );
      for (const row of idle) {
        await sql.transaction(async (statements) => {
          const batch = await lockBatch(statements, textOf(row, 'id'));
          if (batch === undefined || batch.status === 'ended') return;
          const outcome = batch.status === 'canceling' ? 'canceled' : 'expired';
          await settleIdleItems(statements, batch.id, { outcome, now: at });
        });
      }
      const old = await sql.all('SELECT id FROM batches WHERE ended_at <= ?', [at - BATCH_RETENTION_MS]);
      for (const row of old) await sql.transaction((statements) => deleteBatch(textOf(row, 'id'), statements));
    },
  };
}

function owned(batch: Batch | undefined, owner: string): Batch | undefined {
  return batch?.owner === owner ? batch : undefined;
}

async function deleteBatch(id: string, statements: Statements): Promise<void> {
  await statements.run('DELETE FROM batches WHERE id = ?', [id]);
  await statements.run('DELETE FROM batch_items WHERE batch_id = ?', [id]);
}

function* insertable(items: readonly NewBatchItem[]): Generator<readonly NewBatchItem[]> {
  let piece: NewBatchItem[] = [];
  let characters = 0;
  for (const item of items) {
    piece.push(item);
    characters += item.params.length;
    if (piece.length === ROWS_AT_ONCE || characters >= INSERT_CHARACTERS) {
      yield piece;
      piece = [];
      characters = 0;
    }
  }
  if (piece.length > 0) yield piece;
}
