import type { Batch, Claim, ClaimedItem, ItemResult, Lease, LeaseState } from '../batch-store.ts';
import { countSettled, lockBatch, readBatch } from './batch-rows.ts';
import { decodeText, encodeText, numberOf, textOf } from './columns.ts';
import { chunks, type Row, type SqlValue } from './sql.ts';
import type { StoreContext } from './store-context.ts';

const MOST_CLAIMED = 1000;

/** Leases per statement: SQLite limits the depth of an expression. */
const LEASES_AT_ONCE = 100;

/**
 * One statement picks and claims the items, so a worker that dies right after it only leaves leases behind. `SKIP LOCKED`
 * lets replicas pick in parallel; in SQLite writers queue anyway.
 */
export async function claimItems(context: StoreContext, claim: Claim): Promise<readonly ClaimedItem[]> {
  const { sql, createId, now } = context;
  const at = now();
  const token = createId('lease_');
  const limit = Math.min(Math.max(Math.trunc(claim.limit), 1), MOST_CLAIMED);
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
    [at, at, limit, token, at + claim.leaseMs],
  );
  const ids = [...new Set(rows.map((row) => textOf(row, 'batch_id')))];
  const batches = new Map<string, ClaimedBatch>();
  for (const some of chunks(ids, LEASES_AT_ONCE)) {
    const marks = some.map(() => '?').join(', ');
    for (const row of await sql.all(`SELECT * FROM batches WHERE id IN (${marks})`, some)) {
      const batch = { ...readBatch(row), headers: readHeaders(row) };
      batches.set(batch.id, batch);
    }
  }
  const claimed = rows.flatMap((row) => {
    const batch = batches.get(textOf(row, 'batch_id'));
    return batch === undefined ? [] : [{ batch, item: readItem(row, { batch, token }) }];
  });
  return claimed
    .sort((left, right) => byAge(left.batch, right.batch) || left.item.position - right.item.position)
    .map(({ item }) => item);
}

interface ClaimedBatch extends Batch {
  readonly headers: ClaimedItem['headers'];
}

function readHeaders(row: Row): ClaimedItem['headers'] {
  return typeof row.headers === 'string' ? (JSON.parse(row.headers) as ClaimedItem['headers']) : {};
}

function readItem(row: Row, { batch, token }: { readonly batch: ClaimedBatch; readonly token: string }): ClaimedItem {
  return {
    batchId: batch.id,
    position: numberOf(row, 'position'),
    token,
    owner: batch.owner,
    customId: decodeText(textOf(row, 'custom_id')),
    params: textOf(row, 'params'),
    headers: batch.headers,
    ...(typeof row.progress === 'string' ? { progress: row.progress } : {}),
    attempt: numberOf(row, 'attempts'),
    expiresAt: batch.expiresAt,
  };
}

function byAge(left: Batch, right: Batch): number {
  return left.createdAt - right.createdAt || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0);
}

/** A lease that expired unnoticed is renewed as long as no other worker has claimed its item. */
export async function extendLeases(
  context: StoreContext,
  extension: { readonly leases: readonly Lease[]; readonly leaseMs: number },
): Promise<readonly LeaseState[]> {
  const { sql, now } = context;
  const until = now() + extension.leaseMs;
  const held = new Map<string, LeaseState>();
  for (const leases of chunks(extension.leases, LEASES_AT_ONCE)) {
    const rows = await sql.transaction((statements) =>
      statements.all(
        `UPDATE batch_items SET available_at = ? WHERE ${heldBy(leases)}
         RETURNING batch_id, position, lease, claimable_until`,
        [until, ...keysOf(leases)],
      ),
    );
    for (const row of rows) {
      const lease = {
        batchId: textOf(row, 'batch_id'),
        position: numberOf(row, 'position'),
        token: textOf(row, 'lease'),
      };
      held.set(keyOf(lease), numberOf(row, 'claimable_until') === 0 ? 'canceling' : 'held');
    }
  }
  return extension.leases.map((lease) => held.get(keyOf(lease)) ?? 'lost');
}

export async function releaseLeases(context: StoreContext, released: readonly Lease[]): Promise<void> {
  for (const leases of chunks(released, LEASES_AT_ONCE)) {
    await context.sql.transaction((statements) =>
      statements.run(`UPDATE batch_items SET lease = NULL, available_at = ? WHERE ${heldBy(leases)}`, [
        context.now(),
        ...keysOf(leases),
      ]),
    );
  }
}

export async function postponeItems({ sql }: StoreContext, owner: string, until: number): Promise<void> {
  await sql.run(
    `UPDATE batch_items SET available_at = ? WHERE outcome IS NULL AND lease IS NULL AND available_at < ?
       AND batch_id IN (SELECT id FROM batches WHERE owner = ? AND ended_at IS NULL)`,
    [until, until, encodeText(owner)],
  );
}

/** Frees every item in progress. For when no worker is left. */
export async function releaseAll({ sql, now }: StoreContext): Promise<void> {
  await sql.run('UPDATE batch_items SET lease = NULL, available_at = ? WHERE outcome IS NULL AND lease IS NOT NULL', [
    now(),
  ]);
}

/** One statement: if the worker dies in it, the earlier progress stays. */
export async function keepProgress(context: StoreContext, lease: Lease, progress: string): Promise<'kept' | 'lost'> {
  const changed = await context.sql.run(`UPDATE batch_items SET progress = ? WHERE ${heldBy([lease])}`, [
    progress,
    ...keysOf([lease]),
  ]);
  return changed === 1 ? 'kept' : 'lost';
}

/** The token stays on the finished item, so that a worker whose answer got lost can ask again and get the same. */
export function completeItem(context: StoreContext, lease: Lease, result: ItemResult): Promise<'committed' | 'lost'> {
  const key: readonly SqlValue[] = [lease.batchId, lease.position, lease.token];
  return context.sql.transaction(async (statements) => {
    const batch = await lockBatch(statements, lease.batchId);
    if (batch === undefined) return 'lost';
    const changed = await statements.run(
      `UPDATE batch_items SET outcome = ?, result = ?, params = NULL, progress = NULL
       WHERE batch_id = ? AND position = ? AND lease = ? AND outcome IS NULL`,
      [result.outcome, result.result, ...key],
    );
    if (changed === 1) {
      await countSettled(statements, lease.batchId, { outcome: result.outcome, items: 1, now: context.now() });
      return 'committed';
    }
    const [own] = await statements.all(
      'SELECT outcome FROM batch_items WHERE batch_id = ? AND position = ? AND lease = ? AND outcome IS NOT NULL',
      key,
    );
    return own === undefined ? 'lost' : 'committed';
  });
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
