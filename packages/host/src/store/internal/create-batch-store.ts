import { BATCH_RETENTION_MS, type BatchStore } from '../batch-store.ts';
import { createBatch, listBatches, readResults } from './batch-records.ts';
import { lockBatch, readBatch, settleIdleItems } from './batch-rows.ts';
import {
  claimItems,
  completeItem,
  extendLeases,
  keepProgress,
  postponeItems,
  releaseAll,
  releaseLeases,
} from './batch-work.ts';
import { encodeText, textOf } from './columns.ts';
import { explainFault } from './database-fault.ts';
import type { StoreContext } from './store-context.ts';

export function createBatchStore(context: StoreContext): BatchStore {
  const { sql, now } = context;
  let enlisted: Promise<void> | undefined;

  async function get(id: string, owner: string) {
    const [row] = await sql.all('SELECT * FROM batches WHERE id = ? AND owner = ?', [id, encodeText(owner)]);
    return row === undefined ? undefined : readBatch(row);
  }

  return {
    create: (batch) => createBatch(context, batch),
    get: (id, owner) => get(encodeText(id), owner),
    list: (query) => listBatches(context, query),
    results: (id, owner) => readResults(context, { id: encodeText(id), owner }),
    enlist() {
      enlisted ??= sql.presence
        .enlist(() => releaseAll(context))
        .catch((error) => {
          enlisted = undefined;
          throw explainFault(error, sql.dialect === 'postgres' ? 'PostgreSQL' : 'SQLite');
        });
      return enlisted;
    },
    claim: (claim) => claimItems(context, claim),
    extend: (leases, leaseMs) => extendLeases(context, { leases, leaseMs }),
    postpone: (owner, until) => postponeItems(context, owner, until),
    release: (leases) => releaseLeases(context, leases),
    keep: (lease, progress) => keepProgress(context, lease, progress),
    complete: (lease, result) => completeItem(context, lease, result),

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

function owned<Owned extends { readonly owner: string }>(value: Owned | undefined, owner: string): Owned | undefined {
  return value?.owner === owner ? value : undefined;
}

async function deleteBatch(id: string, statements: Pick<StoreContext['sql'], 'run'>): Promise<void> {
  await statements.run('DELETE FROM batches WHERE id = ?', [id]);
  await statements.run('DELETE FROM batch_items WHERE batch_id = ?', [id]);
}
