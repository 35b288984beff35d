import { defined } from '@quartermaster/core/internal';
import type { Batch, BatchStore, ClaimedItem, Lease, LeaseState } from '../batch-store.ts';
import { countSettled, lockBatch, readBatch } from './batch-rows.ts';
import { decodedOf, encodeText, numberOf, textOf } from './columns.ts';
import { explainFault } from './database-fault.ts';
import { chunks, marks, type Row, type SqlValue } from './sql.ts';
import type { StoreContext } from './store-context.ts';

const MOST_CLAIMED = 1000;

/** Leases per statement: SQLite limits the depth of an expression. */
const LEASES_AT_ONCE = 100;

/** What the workers do that process batches. */
export function batchWork({
  sql,
  now,
  createId,
}: StoreContext): Pick<BatchStore, 'enlist' | 'claim' | 'extend' | 'postpone' | 'release' | 'keep' | 'complete'> {
  let enlisted: Promise<void> | undefined;

  /** Frees every item in progress. For when no worker is left. */
  async function releaseAll(): Promise<void> {
    const isHeld = 'outcome IS NULL AND lease IS NOT NULL';
    await sql.run(`UPDATE batch_items SET lease = NULL, available_at = ? WHERE ${isHeld}`, [now()]);
  }

  async function readBatches(ids: readonly string[]): Promise<ReadonlyMap<string, ClaimedBatch>> {
    const batches = new Map<string, ClaimedBatch>();
    for (const some of chunks(ids, LEASES_AT_ONCE)) {
      for (const row of await sql.all(`SELECT * FROM batches WHERE id IN (${marks(some)})`, some)) {
        const batch = { ...readBatch(row), headers: readHeaders(row) };
        batches.set(batch.id, batch);
      }
    }
    return batches;
  }

  return {
    enlist() {
      enlisted ??= sql.presence.enlist(releaseAll).catch((error) => {
        enlisted = undefined;
        throw explainFault(error, sql.dialect === 'postgres' ? 'PostgreSQL' : 'SQLite');
      });
      return enlisted;
    },

    /**
     * One statement picks and claims the items, so a worker that dies right after it only leaves leases behind. `SKIP LOCKED`
     * lets replicas pick in parallel; in SQLite writers queue anyway.
     */
    async claim({ limit: most, leaseMs }) {
      const at = now();
      const token = createId('lease_');
      const limit = Math.min(Math.max(Math.trunc(most), 1), MOST_CLAIMED);
      const rows = await sql.all(
        `WITH picked (batch, place) AS (
           SELECT batch_id, position FROM batch_items
           WHERE outcome IS NULL AND available_at <= ? AND claimable_until > ?
           ORDER BY available_at, batch_id, position LIMIT ?
           ${sql.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : ''}
         )
         UPDATE batch_items SET lease = ?, available_at = ?, attempts = attempts + 1
         FROM picked WHERE batch_id = batch AND position = place
         RETURNING batch_id, position, custom_id, params, progress, attempts`,
        [at, at, limit, token, at + leaseMs],
      );
      const batches = await readBatches([...new Set(rows.map((row) => textOf(row, 'batch_id')))]);
      const claimed = rows.flatMap((row) => {
        const batch = batches.get(textOf(row, 'batch_id'));
        return batch === undefined ? [] : [{ batch, item: readItem(row, batch, token) }];
      });
      return claimed
        .sort((left, right) => byAge(left.batch, right.batch) || left.item.position - right.item.position)
        .map(({ item }) => item);
    },

    /** A lease that expired unnoticed is renewed as long as no other worker has claimed its item. */
    async extend(leases, leaseMs) {
      const until = now() + leaseMs;
      const held = new Map<string, LeaseState>();
      for (const some of chunks(leases, LEASES_AT_ONCE)) {
        const rows = await sql.transaction((statements) =>
          statements.all(
            `UPDATE batch_items SET available_at = ? WHERE ${heldBy(some)}
             RETURNING batch_id, position, lease, claimable_until`,
            [until, ...keysOf(some)],
          ),
        );
        for (const row of rows) {
          const [batchId, token] = [textOf(row, 'batch_id'), textOf(row, 'lease')];
          const key = keyOf({ batchId, position: numberOf(row, 'position'), token });
          held.set(key, numberOf(row, 'claimable_until') === 0 ? 'canceling' : 'held');
        }
      }
      return leases.map((lease) => held.get(keyOf(lease)) ?? 'lost');
    },

    async postpone(owner, until) {
      await sql.run(
        `UPDATE batch_items SET available_at = ? WHERE outcome IS NULL AND lease IS NULL AND available_at < ?
           AND batch_id IN (SELECT id FROM batches WHERE owner = ? AND ended_at IS NULL)`,
        [until, until, encodeText(owner)],
      );
    },

    async release(leases) {
      for (const some of chunks(leases, LEASES_AT_ONCE)) {
        const text = `UPDATE batch_items SET lease = NULL, available_at = ? WHERE ${heldBy(some)}`;
        await sql.transaction((statements) => statements.run(text, [now(), ...keysOf(some)]));
      }
    },

    /** One statement: if the worker dies in it, the earlier progress stays. */
    async keep(lease, progress) {
      const text = `UPDATE batch_items SET progress = ? WHERE ${heldBy([lease])}`;
      return (await sql.run(text, [progress, ...keysOf([lease])])) === 1 ? 'kept' : 'lost';
    },

    /** The token stays on the finished item, so that a worker whose answer got lost can ask again and get the same. */
    complete: (lease, { outcome, result }) =>
      sql.transaction(async (statements) => {
        const batch = await lockBatch(statements, lease.batchId);
        if (batch === undefined) return 'lost';
        const changed = await statements.run(
          `UPDATE batch_items SET outcome = ?, result = ?, params = NULL, progress = NULL
           WHERE batch_id = ? AND position = ? AND lease = ? AND outcome IS NULL`,
          [outcome, result, ...keysOf([lease])],
        );
        if (changed === 1) {
          await countSettled(statements, lease.batchId, { outcome, items: 1, now: now() });
          return 'committed';
        }
        const [own] = await statements.all(
          'SELECT outcome FROM batch_items WHERE batch_id = ? AND position = ? AND lease = ? AND outcome IS NOT NULL',
          keysOf([lease]),
        );
        return own === undefined ? 'lost' : 'committed';
      }),
  };
}

interface ClaimedBatch extends Batch {
  readonly headers: ClaimedItem['headers'];
}

function readHeaders(row: Row): ClaimedItem['headers'] {
  return typeof row.headers === 'string' ? (JSON.parse(row.headers) as ClaimedItem['headers']) : {};
}

function readItem(row: Row, { id: batchId, owner, headers, expiresAt }: ClaimedBatch, token: string): ClaimedItem {
  const progress = typeof row.progress === 'string' ? row.progress : undefined;
  return {
    ...{ batchId, token, owner, headers, expiresAt },
    position: numberOf(row, 'position'),
    customId: decodedOf(row, 'custom_id'),
    params: textOf(row, 'params'),
    attempt: numberOf(row, 'attempts'),
    ...defined({ progress }),
  };
}

function byAge(left: Batch, right: Batch): number {
  return left.createdAt - right.createdAt || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0);
}

function heldBy(leases: readonly Lease[]): string {
  return `outcome IS NULL AND (${leases.map(() => '(batch_id = ? AND position = ? AND lease = ?)').join(' OR ')})`;
}

function keysOf(leases: readonly Lease[]): SqlValue[] {
  return leases.flatMap(({ batchId, position, token }) => [batchId, position, token]);
}

function keyOf({ batchId, position, token }: Lease): string {
  return `${batchId}/${position}/${token}`;
}
