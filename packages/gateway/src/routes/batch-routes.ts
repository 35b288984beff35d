import type { Batch, BatchResult, BatchStore } from '@quartermaster/host/store';
import { type Api, jsonRoutes, needing } from '../api/index.ts';
import { limitUpTo, page, record, type Schema, TEXT } from '../api/schema.ts';
import { ApiError, encodedStream, type RequestContext, readBytes } from '../http/index.ts';
import { readLimit } from './list-models.ts';
import { pageOf } from './read-query.ts';
import type { Services } from './services.ts';

/** Message batches. */
export function mountBatchRoutes(api: Api, services: Services): void {
  const { runner, store, settings, bulk, onBatch } = services;
  const routes = jsonRoutes(api, runner, 'batches');
  const stored = needing(() => store?.batches, 'This gateway has no store, so it has no batches');
  const createBatch = async (requestContext: RequestContext, batches: BatchStore): Promise<object> => {
    const bytes = await readBytes(requestContext, settings.maxBatchBytes);
    const { owner } = requestContext.access;
    const items = await bulk.readBatch({ bytes, owner }, settings.maxBatchItems);
    const batch = await batches.create({ owner, headers: itemHeaders(requestContext), items });
    onBatch();
    return show(requestContext, batch);
  };
  const show = ({ request }: RequestContext, batch: Batch): { readonly id: string } =>
    writeBatch(batch, settings.publicUrl ?? new URL(request.url).origin);

  routes.post(
    '/v1/messages/batches',
    { summary: 'Creates a message batch.', body: BATCH, answer: BATCH },
    stored(createBatch),
    { usesModel: true },
  );
  routes.get(
    '/v1/messages/batches',
    {
      summary: 'The batches of this key.',
      query: record({ 'limit?': limitUpTo(1_000), 'after_id?': TEXT, 'before_id?': TEXT }),
      answer: record(page(BATCH)),
    },
    stored(async (request, batches) => {
      const url = new URL(request.request.url);
      const page = await batches.list({ owner: request.access.owner, limit: readLimit(url), ...cursorOf(url) });
      if (page === undefined) throw new ApiError(400, 'after_id or before_id names no batch of this key');
      const shown = page.batches.map((batch) => show(request, batch));
      return pageOf(shown, page.hasMore);
    }),
  );
  routes.get(
    '/v1/messages/batches/:id',
    { summary: 'One batch.', answer: BATCH },
    stored(async (request, batches) => {
      const id = request.param('id');
      return show(request, known(await batches.get(id, request.access.owner), id));
    }),
  );
  routes.post(
    '/v1/messages/batches/:id/cancel',
    { summary: 'Cancels a batch.', answer: BATCH },
    stored(async (request, batches) => {
      const id = request.param('id');
      return show(request, known(await batches.cancel(id, request.access.owner), id));
    }),
  );
  routes.delete(
    '/v1/messages/batches/:id',
    { summary: 'Deletes a batch that has ended.', answer: record({ id: TEXT, type: TEXT }) },
    stored(async (request, batches) => {
      const id = request.param('id');
      const outcome = await batches.delete(id, request.access.owner);
      if (outcome === 'unknown') throw unknown(id);
      if (outcome === 'not-ended') throw new ApiError(400, `Batch ${id} has not ended; cancel it first`);
      return { id, type: 'message_batch_deleted' };
    }),
  );
  routes.get(
    '/v1/messages/batches/:id/results',
    { summary: 'The results of a batch, one line per request.', answer: TEXT, answerType: 'application/x-jsonl' },
    stored(async (request, batches) => {
      const { owner } = request.access;
      const id = request.param('id');
      const batch = known(await batches.get(id, owner), id);
      if (batch.status !== 'ended') throw new ApiError(400, `Batch ${id} has not ended, so it has no results yet`);
      const body = encodedStream(resultLines(batches.results(id, owner)));
      return new Response(body, { headers: { 'content-type': 'application/x-jsonl' } });
    }),
  );
}

/** As in Anthropic's API. */
const BATCH: Schema = { type: 'object' };

/** The parts of the request that apply to every item of the batch that it creates. */
function itemHeaders({ request }: RequestContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ITEM_HEADERS.flatMap((name) => {
      const value = request.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

const ITEM_HEADERS = ['anthropic-version', 'anthropic-beta'];

/** One line per request. */
async function* resultLines(results: AsyncIterable<BatchResult>): AsyncGenerator<string> {
  for await (const { customId, result } of results) {
    yield `{"custom_id":${JSON.stringify(customId)},"result":${result}}\n`;
  }
}

/** A batch in the API's format. Its results are fetched from the address given here, which must lead back to this gateway. */
function writeBatch(batch: Batch, baseUrl: string): { readonly id: string; readonly [field: string]: unknown } {
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

function cursorOf(url: URL): { readonly cursor?: { readonly kind: 'after' | 'before'; readonly id: string } } {
  const after = url.searchParams.get('after_id');
  const before = url.searchParams.get('before_id');
  if (after !== null) return { cursor: { kind: 'after', id: after } };
  return before === null ? {} : { cursor: { kind: 'before', id: before } };
}

function known(batch: Batch | undefined, id: string): Batch {
  if (batch === undefined) throw unknown(id);
  return batch;
}

function unknown(id: string): ApiError {
  return new ApiError(404, `There is no batch ${id.slice(0, 100)} of this key`);
}
