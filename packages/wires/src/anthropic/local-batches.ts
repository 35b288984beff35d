import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** A request in a batch, and how to answer it. */
export interface LocalBatchItem {
  readonly customId: string;
  run(signal: AbortSignal): Promise<Response>;
}

/** Batches of requests that a host's own batches can't answer, because the model has to be called several times for each. */
export interface LocalBatches {
  /** Starts a batch. `url` is where batches are created; its results are found below it. */
  create(items: readonly LocalBatchItem[], url: string): Response;
  /** Answers for a batch that was created here. Undefined for any other path. */
  answer(http: { readonly url: string; readonly method?: string }): Response | undefined;
  /** All of them, newest first, as the API lists them. */
  list(): readonly JsonObject[];
}

/** How many requests of all batches run at the same time. */
const AT_ONCE = 4;

/** The limit of all results together, in characters; above it, the batch that ended first is dropped. */
const MOST_RESULTS = 64 * 1024 * 1024;

const DAY_MS = 86_400_000;

interface LocalBatch {
  readonly id: string;
  readonly url: string;
  readonly createdAt: number;
  readonly stop: AbortController;
  /** Undefined once it is answered: a request may be large, and its batch is kept for its results. */
  readonly items: (LocalBatchItem | undefined)[];
  /** By the index of the item. */
  readonly results: string[];
  readonly counts: Record<Outcome, number>;
  cancelledAt?: number;
  endedAt?: number;
}

type Outcome = 'succeeded' | 'errored' | 'canceled' | 'expired';

/** Batches in this process's memory: they end with it. */
export function createLocalBatches(now: () => number = Date.now): LocalBatches {
  const batches = new Map<string, LocalBatch>();
  const waiting: { readonly batch: LocalBatch; readonly index: number }[] = [];
  let running = 0;

  const forgetOldest = (): void => {
    const sizeOf = ({ results }: LocalBatch): number => results.reduce((sum, line) => sum + line.length, 0);
    let size = [...batches.values()].reduce((sum, batch) => sum + sizeOf(batch), 0);
    for (const batch of batches.values()) {
      if (size <= MOST_RESULTS) return;
      if (batch.endedAt === undefined) continue;
      batches.delete(batch.id);
      size -= sizeOf(batch);
    }
  };
  const settle = (batch: LocalBatch, index: number, result: JsonObject): void => {
    const customId = batch.items[index]?.customId ?? '';
    batch.results[index] = `${JSON.stringify({ custom_id: customId, result })}\n`;
    batch.items[index] = undefined;
    batch.counts[result.type as Outcome] += 1;
    if (processing(batch) > 0) return;
    batch.endedAt = now();
    forgetOldest();
  };
  const next = (): void => {
    while (running < AT_ONCE) {
      const job = waiting.shift();
      if (job === undefined) return;
      const { batch, index } = job;
      running += 1;
      void answerItem(batch, index, now).then((result) => {
        running -= 1;
        settle(batch, index, result);
        next();
      });
    }
  };

  return {
    create(items, url) {
      const id = `msgbatch_${crypto.randomUUID().replaceAll('-', '')}`;
      const batch: LocalBatch = {
        ...{ id, url, items: [...items], createdAt: now(), stop: new AbortController(), results: [] },
        counts: { succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      };
      batches.set(id, batch);
      waiting.push(...items.map((_, index) => ({ batch, index })));
      next();
      return Response.json(shown(batch));
    },
    answer({ url, method = 'GET' }) {
      const [id = '', action] = /\/v1\/messages\/batches\/([^/]+)(?:\/(cancel|results))?$/
        .exec(new URL(url).pathname)
        ?.slice(1) ?? ['', undefined];
      const batch = batches.get(id);
      if (batch === undefined) return undefined;
      const isEnded = batch.endedAt !== undefined;
      if (action === 'cancel') {
        if (!isEnded) {
          batch.cancelledAt ??= now();
          batch.stop.abort();
        }
        return Response.json(shown(batch));
      }
      if (action === 'results') {
        if (!isEnded) return refusal(`Batch ${id} has not ended, so it has no results yet`);
        return new Response(batch.results.join(''), { headers: { 'content-type': 'application/x-jsonl' } });
      }
      if (method.toUpperCase() !== 'DELETE') return Response.json(shown(batch));
      if (!isEnded) return refusal(`Batch ${id} has not ended; cancel it first`);
      batches.delete(id);
      return Response.json({ id, type: 'message_batch_deleted' });
    },
    list: () => [...batches.values()].reverse().map(shown),
  };
}

/** Answers one item. Never rejects: a failed request is that item's result. */
async function answerItem(batch: LocalBatch, index: number, now: () => number): Promise<JsonObject> {
  const { stop, createdAt } = batch;
  if (stop.signal.aborted) return { type: 'canceled' };
  if (now() - createdAt > DAY_MS) return { type: 'expired' };
  try {
    const response = await batch.items[index]?.run(stop.signal);
    const body: unknown = await response?.json();
    if (response?.ok === true && isJsonObject(body)) return { type: 'succeeded', message: body };
    const error =
      isJsonObject(body) && isJsonObject(body.error) ? body.error : { type: 'api_error', message: 'No answer' };
    return errored(error);
  } catch (error) {
    if (stop.signal.aborted) return { type: 'canceled' };
    return errored({ type: 'api_error', message: error instanceof Error ? error.message : 'The request failed' });
  }
}

function errored(error: JsonObject): JsonObject {
  return { type: 'errored', error: { type: 'error', error, request_id: null } };
}

function processing({ items, counts }: LocalBatch): number {
  return items.length - counts.succeeded - counts.errored - counts.canceled - counts.expired;
}

/** In the format of the API. */
function shown(batch: LocalBatch): JsonObject {
  const { id, createdAt, endedAt, cancelledAt, counts } = batch;
  const time = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
  const open = cancelledAt === undefined ? 'in_progress' : 'canceling';
  return {
    ...{ id, type: 'message_batch', processing_status: endedAt === undefined ? open : 'ended' },
    request_counts: { processing: processing(batch), ...counts },
    ...{ created_at: time(createdAt), expires_at: time(createdAt + DAY_MS), ended_at: time(endedAt) },
    ...{ cancel_initiated_at: time(cancelledAt), archived_at: null },
    results_url: endedAt === undefined ? null : `${batch.url}/${id}/results`,
  };
}

function refusal(message: string): Response {
  return Response.json(
    { type: 'error', error: { type: 'invalid_request_error', message }, request_id: null },
    { status: 400 },
  );
}
