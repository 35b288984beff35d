import type { JsonObject } from '@quartermaster/core/catalog';
import { piecesId } from '@quartermaster/core/internal';
import { type Api, jsonRoutes, needing } from '../api/index.ts';
import { choice, FLAG, limitUpTo, record, type Schema, TEXT } from '../api/schema.ts';
import { ApiError, openaiErrorBody } from '../http/index.ts';
import { findResponse, type StoredResponse, withIds } from '../stored/index.ts';
import { pageOf } from './read-query.ts';
import type { Services } from './services.ts';

/** Responses that this gateway has served and stored, for the key that requested them. */
export function mountStoredRoutes(api: Api, { runner, storedFor }: Services): void {
  const routes = jsonRoutes(api, runner, 'responses', openaiErrorBody);
  const stored = needing(
    ({ access }) => storedFor?.(access.owner),
    'This gateway keeps no responses: transcripts.keep is off',
  );

  routes.get(
    '/v1/responses/:id',
    { summary: 'A stored response.', answer: { type: 'object' } },
    stored(async ({ request, param }, store) => {
      const id = param('id');
      const { searchParams } = new URL(request.url);
      if (searchParams.get('stream') === 'true') {
        throw new ApiError(400, 'stream: a stored response is given whole; leave stream out', { param: 'stream' });
      }
      return known(await findResponse(store, id), id).response;
    }),
  );
  routes.delete(
    '/v1/responses/:id',
    { summary: 'Deletes a stored response.', answer: record({ id: TEXT, object: TEXT, deleted: FLAG }) },
    stored(async ({ param }, store) => {
      const id = param('id');
      known(await findResponse(store, id), id);
      await store.forget([id, piecesId(id)]);
      return { id, object: 'response', deleted: true };
    }),
  );
  routes.get(
    '/v1/responses/:id/input_items',
    {
      summary: 'The input of a stored response.',
      query: ITEMS_QUERY,
      answer: { type: 'object' },
    },
    stored(async ({ request, param }, store) => {
      const id = param('id');
      const { input } = known(await findResponse(store, id), id);
      if (input === undefined) {
        throw new ApiError(404, `The input of response ${id} was too long to be kept; the response itself can be read`);
      }
      return pageOfItems(withIds(input, id), new URL(request.url));
    }),
  );
}

function known(stored: StoredResponse | undefined, id: string): StoredResponse {
  if (stored !== undefined) return stored;
  throw new ApiError(404, `Response with id '${id.slice(0, 100)}' not found`, { param: 'response_id' });
}

/** What `pageOfItems` reads. */
export const ITEMS_QUERY: Schema = record({
  'order?': choice(['asc', 'desc']),
  'limit?': limitUpTo(100),
  'after?': TEXT,
});

/** The latest first, unless the client asks for another order. */
export function pageOfItems(items: readonly (JsonObject & { id: string })[], { searchParams }: URL): object {
  const order = searchParams.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw new ApiError(400, 'order: should be asc or desc', { param: 'order' });
  const limit = Number(searchParams.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new ApiError(400, 'limit: should be a whole number from 1 to 100', { param: 'limit' });
  }
  const ordered = order === 'asc' ? items : items.toReversed();
  const after = searchParams.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) throw new ApiError(400, 'after: names no item of this list', { param: 'after' });
  const data = ordered.slice(start, start + limit);
  return { object: 'list', ...pageOf(data, start + data.length < ordered.length) };
}
