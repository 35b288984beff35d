import type { Batch, BatchStore } from '@quartermaster/host/store';
import type { Context } from 'hono';
import {
  BATCH_RESULTS,
  CANCEL_BATCH,
  CREATE_BATCH,
  DELETE_BATCH,
  GET_BATCH,
  LIST_BATCHES,
} from '../api/batch-operations.ts';
import type { Api } from '../api/index.ts';
import { readBatch, writeBatch } from '../batches/index.ts';
import { ApiError, anthropicErrorBody, type RequestContext, readBytes } from '../http/index.ts';
import { readLimit } from './list-models.ts';
import type { Services } from './services.ts';

/** Message batches. */
export function mountBatchRoutes(api: Api, services: Services): void {
  const { runner, store, settings, onBatch } = services;
  const receive = (
    context: Context,
    handler: (requestContext: RequestContext, batches: BatchStore) => Promise<Response>,
    usesModel = false,
  ) =>
    runner.run(context.req.raw, {
      route: 'batches',
      errorBody: anthropicErrorBody,
      usesModel,
      async handler(requestContext) {
        if (store === undefined) throw new ApiError(404, 'This gateway has no store, so it has no batches');
        return handler(requestContext, store.batches);
      },
    });
  const createBatch = async (requestContext: RequestContext, batches: BatchStore): Promise<Response> => {
    const bytes = await readBytes(requestContext.request, settings.maxBatchBytes);
    const items = readBatch(parse(bytes), settings.maxBatchItems);
    const { owner } = requestContext.access;
    const batch = await batches.create({ owner, headers: itemHeaders(requestContext), items });
    onBatch();
    return Response.json(show(requestContext, batch));
  };
  const show = ({ request }: RequestContext, batch: Batch): { readonly id: string } =>
    writeBatch(batch, settings.publicUrl ?? new URL(request.url).origin);

  api.post('/v1/messages/batches', CREATE_BATCH, (context) => receive(context, createBatch, true));
  api.get('/v1/messages/batches', LIST_BATCHES, (context) =>
    receive(context, async (requestContext, batches) => {
      const url = new URL(requestContext.request.url);
      const page = await batches.list({ owner: requestContext.access.owner, limit: readLimit(url), ...cursorOf(url) });
      if (page === undefined) throw new ApiError(400, 'after_id or before_id names no batch of this key');
      const data = page.batches.map((batch) => show(requestContext, batch));
      const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
      return Response.json({ data, has_more: page.hasMore, ...ids });
    }),
  );
  api.get('/v1/messages/batches/:id', GET_BATCH, (context) =>
    receive(context, async (requestContext, batches) => {
      const id = context.req.param('id');
      return Response.json(show(requestContext, known(await batches.get(id, requestContext.access.owner), id)));
    }),
  );
  api.post('/v1/messages/batches/:id/cancel', CANCEL_BATCH, (context) =>
    receive(context, async (requestContext, batches) => {
      const id = context.req.param('id');
      return Response.json(show(requestContext, known(await batches.cancel(id, requestContext.access.owner), id)));
    }),
  );
  api.delete('/v1/messages/batches/:id', DELETE_BATCH, (context) =>
    receive(context, async (requestContext, batches) => {
      const id = context.req.param('id');
      const outcome = await batches.delete(id, requestContext.access.owner);
      if (outcome === 'unknown') throw unknown(id);
      if (outcome === 'not-ended') throw new ApiError(400, `Batch ${id} has not ended; cancel it first`);
      return Response.json({ id, type: 'message_batch_deleted' });
    }),
  );
  api.get('/v1/messages/batches/:id/results', BATCH_RESULTS, (context) =>
    receive(context, async (requestContext, batches) => {
      const { owner } = requestContext.access;
      const id = context.req.param('id');
      const batch = known(await batches.get(id, owner), id);
      if (batch.status !== 'ended') throw new ApiError(400, `Batch ${id} has not ended, so it has no results yet`);
      return new Response(resultLines(batches, { id, owner }), { headers: { 'content-type': 'application/x-jsonl' } });
    }),
  );
}

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

/** One line per request, read as fast as the client reads them. */
function resultLines(
  batches: BatchStore,
  batch: { readonly id: string; readonly owner: string },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const results = batches.results(batch.id, batch.owner)[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await results.next();
      if (done === true) return controller.close();
      controller.enqueue(encoder.encode(`{"custom_id":${JSON.stringify(value.customId)},"result":${value.result}}\n`));
    },
    async cancel() {
      await results.return?.();
    },
  });
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

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiError(400, 'The request body is not valid JSON');
  }
}
