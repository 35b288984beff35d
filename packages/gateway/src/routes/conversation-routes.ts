import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { TranscriptStore } from '@quartermaster/core/loop';
import type { Context } from 'hono';
import { type Api, readJsonBody } from '../api/index.ts';
import {
  ADD_ITEMS,
  CHANGE_CONVERSATION,
  CREATE_CONVERSATION,
  DELETE_CONVERSATION,
  DELETE_ITEM,
  GET_CONVERSATION,
  GET_ITEM,
  LIST_ITEMS,
} from '../api/model-operations.ts';
import { ApiError, openaiErrorBody, type RequestContext } from '../http/index.ts';
import {
  type Conversation,
  changeConversation,
  findConversation,
  isItemId,
  newConversation,
  saveConversation,
  toItems,
  withItems,
  withoutItem,
} from '../stored/index.ts';
import type { Services } from './services.ts';
import { pageOf } from './stored-routes.ts';

/** Conversations of the Responses API, stored for the key that created them, wherever the model runs. */
export function mountConversationRoutes(api: Api, { runner, storedFor, clock }: Services): void {
  const receive = (
    context: Context,
    handler: (store: TranscriptStore, requestContext: RequestContext, id: string) => Promise<object>,
  ): Promise<Response> =>
    runner.run(context.req.raw, {
      route: 'responses',
      errorBody: openaiErrorBody,
      async handler(requestContext) {
        const store = storedFor?.(requestContext.access.owner);
        if (store === undefined) {
          throw new ApiError(404, 'This gateway keeps no conversations: transcripts.keep is off');
        }
        return Response.json(await handler(store, requestContext, context.req.param('id') ?? ''));
      },
    });

  api.post('/v1/conversations', CREATE_CONVERSATION, (context) =>
    receive(context, async (store, { request }) => {
      const body = await readJsonBody<CreateBody>(request, CREATE_CONVERSATION.body);
      const made = newConversation(clock.now(), body.metadata ?? {});
      const { conversation } = grown(made, body.items ?? []);
      await saveConversation(store, conversation);
      return shown(conversation);
    }),
  );
  api.get('/v1/conversations/:id', GET_CONVERSATION, (context) =>
    receive(context, async (store, _, id) => shown(await known(store, id))),
  );
  api.post('/v1/conversations/:id', CHANGE_CONVERSATION, (context) =>
    receive(context, async (store, { request }, id) => {
      const { metadata } = await readJsonBody<CreateBody>(request, CHANGE_CONVERSATION.body);
      return shown(await changed(store, id, (conversation) => ({ ...conversation, metadata: metadata ?? {} })));
    }),
  );
  api.delete('/v1/conversations/:id', DELETE_CONVERSATION, (context) =>
    receive(context, async (store, _, id) => {
      await known(store, id);
      await store.forget([id]);
      return { id, object: 'conversation.deleted', deleted: true };
    }),
  );
  api.get('/v1/conversations/:id/items', LIST_ITEMS, (context) =>
    receive(context, async (store, { request }, id) => pageOf((await known(store, id)).items, new URL(request.url))),
  );
  api.post('/v1/conversations/:id/items', ADD_ITEMS, (context) =>
    receive(context, async (store, { request }, id) => {
      const { items } = await readJsonBody<{ readonly items: readonly JsonObject[] }>(request, ADD_ITEMS.body);
      let added: ReturnType<typeof grown>['added'] = [];
      await changed(store, id, (before) => {
        const made = grown(before, items);
        added = made.added;
        return made.conversation;
      });
      const ids = { first_id: added[0]?.id ?? null, last_id: added.at(-1)?.id ?? null };
      return { object: 'list', data: added, ...ids, has_more: false };
    }),
  );
  api.get('/v1/conversations/:id/items/:item', GET_ITEM, (context) =>
    receive(context, async (store, _, id) => {
      const itemId = context.req.param('item') ?? '';
      return itemIn(await known(store, id), itemId);
    }),
  );
  api.delete('/v1/conversations/:id/items/:item', DELETE_ITEM, (context) =>
    receive(context, async (store, _, id) => {
      const itemId = context.req.param('item') ?? '';
      return shown(await changed(store, id, (before) => withoutItem(before, itemIn(before, itemId).id)));
    }),
  );
}

interface CreateBody {
  readonly items?: readonly JsonObject[] | null;
  readonly metadata?: JsonObject | null;
}

function shown({ id, created_at, metadata }: Conversation): object {
  return { id, object: 'conversation', created_at, metadata };
}

async function known(store: TranscriptStore, id: string): Promise<Conversation> {
  return there(await findConversation(store, id), id);
}

async function changed(
  store: TranscriptStore,
  id: string,
  change: (conversation: Conversation) => Conversation,
): Promise<Conversation> {
  return there(await changeConversation(store, id, change), id);
}

function there(conversation: Conversation | undefined, id: string): Conversation {
  if (conversation !== undefined) return conversation;
  throw new ApiError(404, `Conversation with id '${id.slice(0, 100)}' not found`, { param: 'conversation_id' });
}

function itemIn({ id, items }: Conversation, itemId: string): JsonObject & { readonly id: string } {
  const item = items.find((one) => one.id === itemId);
  if (item !== undefined) return item;
  throw new ApiError(404, `Item with id '${itemId.slice(0, 100)}' not found in conversation '${id}'`, {
    param: 'item_id',
  });
}

function grown(conversation: Conversation, items: readonly JsonObject[]): NonNullable<ReturnType<typeof withItems>> {
  items.forEach(({ id }, at) => {
    if (id === undefined || id === null || (typeof id === 'string' && isItemId(id))) return;
    throw new ApiError(
      400,
      `items[${at}].id: should be up to 1024 printable ASCII characters, and neither . nor ..; leave it out to get one`,
      { param: `items[${at}].id` },
    );
  });
  const made = withItems(conversation, toItems(items.filter(isJsonObject)));
  if (made !== undefined) return made;
  throw new ApiError(400, 'items: the conversation would be longer than this gateway keeps', { param: 'items' });
}
