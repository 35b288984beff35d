import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { TranscriptStore } from '@quartermaster/core/loop';
import { type Api, jsonRoutes, needing } from '../api/index.ts';
import { FLAG, list, optional, record, type Schema, TEXT, WHOLE } from '../api/schema.ts';
import { ApiError, openaiErrorBody } from '../http/index.ts';
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
import { pageOf } from './read-query.ts';
import type { Services } from './services.ts';
import { ITEMS_QUERY, pageOfItems } from './stored-routes.ts';

/** Conversations of the Responses API, stored for the key that created them, wherever the model runs. */
export function mountConversationRoutes(api: Api, { runner, storedFor, clock }: Services): void {
  const routes = jsonRoutes(api, runner, 'responses', openaiErrorBody);
  const stored = needing(
    ({ access }) => storedFor?.(access.owner),
    'This gateway keeps no conversations: transcripts.keep is off',
  );

  routes.post(
    '/v1/conversations',
    {
      summary: 'Creates a conversation that responses can continue.',
      body: record({ 'items?': optional(ITEMS), 'metadata?': optional(METADATA) }),
      answer: CONVERSATION,
    },
    stored(async ({ readBody }, store) => {
      const body = await readBody<CreateBody>();
      const made = newConversation(clock.now(), body.metadata ?? {});
      const { conversation } = grown(made, body.items ?? []);
      await saveConversation(store, conversation);
      return shown(conversation);
    }),
  );
  routes.get(
    '/v1/conversations/:id',
    { summary: 'A conversation.', answer: CONVERSATION },
    stored(async ({ param }, store) => shown(await known(store, param('id')))),
  );
  routes.post(
    '/v1/conversations/:id',
    {
      summary: 'Changes the metadata of a conversation.',
      body: record({ metadata: optional(METADATA) }),
      answer: CONVERSATION,
    },
    stored(async ({ readBody, param }, store) => {
      const { metadata } = await readBody<CreateBody>();
      return shown(
        await changed(store, param('id'), (conversation) => ({ ...conversation, metadata: metadata ?? {} })),
      );
    }),
  );
  routes.delete(
    '/v1/conversations/:id',
    { summary: 'Deletes a conversation.', answer: record({ id: TEXT, object: TEXT, deleted: FLAG }) },
    stored(async ({ param }, store) => {
      const id = param('id');
      await known(store, id);
      await store.forget([id]);
      return { id, object: 'conversation.deleted', deleted: true };
    }),
  );
  routes.get(
    '/v1/conversations/:id/items',
    { summary: 'The items of a conversation.', query: ITEMS_QUERY, answer: FOREIGN },
    stored(async ({ request, param }, store) =>
      pageOfItems((await known(store, param('id'))).items, new URL(request.url)),
    ),
  );
  routes.post(
    '/v1/conversations/:id/items',
    { summary: 'Adds items to a conversation.', body: record({ items: ITEMS }), answer: FOREIGN },
    stored(async ({ readBody, param }, store) => {
      const { items } = await readBody<{ readonly items: readonly JsonObject[] }>();
      let added: ReturnType<typeof grown>['added'] = [];
      await changed(store, param('id'), (before) => {
        const made = grown(before, items);
        added = made.added;
        return made.conversation;
      });
      return { object: 'list', ...pageOf(added, false) };
    }),
  );
  routes.get(
    '/v1/conversations/:id/items/:item',
    { summary: 'One item of a conversation.', answer: FOREIGN },
    stored(async ({ param }, store) => itemIn(await known(store, param('id')), param('item'))),
  );
  routes.delete(
    '/v1/conversations/:id/items/:item',
    { summary: 'Deletes an item of a conversation.', answer: CONVERSATION },
    stored(async ({ param }, store) => {
      const without = (before: Conversation): Conversation => withoutItem(before, itemIn(before, param('item')).id);
      return shown(await changed(store, param('id'), without));
    }),
  );
}

/** As the API has it. */
const FOREIGN: Schema = { type: 'object' };
const CONVERSATION = record({ id: TEXT, object: TEXT, created_at: WHOLE, metadata: FOREIGN });
/** As many items at a time, and as many bytes in all, as the API accepts. */
const ITEMS = list(FOREIGN, { maxItems: 20 });
const METADATA: Schema = {
  type: 'object',
  maxProperties: 16,
  additionalProperties: { type: 'string', maxLength: 512 },
};

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
