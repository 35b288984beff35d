import type { Batch } from '@quartermaster/host/store';

/** A batch in the API's format. Its results are fetched from the address given here, which must lead back to this gateway. */
export function writeBatch(batch: Batch, baseUrl: string): { readonly id: string; readonly [field: string]: unknown } {
  const { id, status, counts, createdAt, expiresAt, endedAt, cancelInitiatedAt } = batch;
  return {
    id,
    ...{ type: 'message_batch', processing_status: status, request_counts: counts },
    ...{ created_at: writeTime(createdAt), expires_at: writeTime(expiresAt), ended_at: writeTime(endedAt) },
    ...{ cancel_initiated_at: writeTime(cancelInitiatedAt), archived_at: null },
    results_url: status === 'ended' ? `${baseUrl}/v1/messages/batches/${id}/results` : null,
  };
}

function writeTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
