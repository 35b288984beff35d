import type { CheckedOperation, Operation } from './api.ts';
import { ANYTHING, FLAG, list, optional, record, type Schema, TEXT, WHOLE } from './schema.ts';

/** Bodies and answers are those of the hosts' own APIs. */
const FOREIGN: Schema = { type: 'object' };

/** A request to a model in one of the hosts' dialects. */
export function modelOperation(endpoint: string): Operation {
  const summary = `${NAMES[endpoint] ?? endpoint}, with tool search. Streams if the request asks for it.`;
  return { endpoint, summary, body: FOREIGN, answer: FOREIGN };
}

const NAMES: Readonly<Record<string, string>> = {
  messages: 'Anthropic Messages',
  chat_completions: 'OpenAI Chat Completions',
  responses: 'OpenAI Responses',
};

export const PASSED_ON: Operation = {
  endpoint: 'host',
  summary: 'Passed through to the upstream, without tool search.',
  answer: FOREIGN,
};

export const COUNT_TOKENS: Operation = {
  endpoint: 'count_tokens',
  summary: 'Counts the input tokens of an Anthropic Messages request.',
  body: FOREIGN,
  answer: record({ input_tokens: WHOLE }),
};
export const GET_RESPONSE: Operation = { endpoint: 'responses', summary: 'A stored response.', answer: FOREIGN };
export const DELETE_RESPONSE: Operation = {
  endpoint: 'responses',
  summary: 'Deletes a stored response.',
  answer: record({ id: TEXT, object: TEXT, deleted: FLAG }),
};
export const RESPONSE_INPUT: Operation = {
  endpoint: 'responses',
  summary: 'The input of a stored response.',
  query: record({ 'order?': TEXT, 'limit?': WHOLE, 'after?': TEXT }),
  answer: FOREIGN,
};

const CONVERSATION = record({ id: TEXT, object: TEXT, created_at: WHOLE, metadata: FOREIGN });
/** As many items at a time, and as many bytes in all, as the API accepts. */
const ITEMS = list(FOREIGN, { maxItems: 20 });
const METADATA: Schema = {
  type: 'object',
  maxProperties: 16,
  additionalProperties: { type: 'string', maxLength: 512 },
};

export const CREATE_CONVERSATION: CheckedOperation = {
  endpoint: 'responses',
  summary: 'Creates a conversation that responses can continue.',
  body: record({ 'items?': optional(ITEMS), 'metadata?': optional(METADATA) }),
  answer: CONVERSATION,
};
export const GET_CONVERSATION: Operation = { endpoint: 'responses', summary: 'A conversation.', answer: CONVERSATION };
export const CHANGE_CONVERSATION: CheckedOperation = {
  endpoint: 'responses',
  summary: 'Changes the metadata of a conversation.',
  body: record({ metadata: optional(METADATA) }),
  answer: CONVERSATION,
};
export const DELETE_CONVERSATION: Operation = {
  endpoint: 'responses',
  summary: 'Deletes a conversation.',
  answer: record({ id: TEXT, object: TEXT, deleted: FLAG }),
};
export const LIST_ITEMS: Operation = {
  endpoint: 'responses',
  summary: 'The items of a conversation.',
  query: record({ 'order?': TEXT, 'limit?': WHOLE, 'after?': TEXT }),
  answer: FOREIGN,
};
export const ADD_ITEMS: CheckedOperation = {
  endpoint: 'responses',
  summary: 'Adds items to a conversation.',
  body: record({ items: ITEMS }),
  answer: FOREIGN,
};
export const GET_ITEM: Operation = { endpoint: 'responses', summary: 'One item of a conversation.', answer: FOREIGN };
export const DELETE_ITEM: Operation = {
  endpoint: 'responses',
  summary: 'Deletes an item of a conversation.',
  answer: CONVERSATION,
};

const PAGE = { has_more: FLAG, first_id: optional(TEXT), last_id: optional(TEXT) };

export const LIST_MODELS: Operation = {
  endpoint: 'models',
  summary: 'The models that this key may use.',
  query: record({ 'limit?': WHOLE, 'after_id?': TEXT, 'before_id?': TEXT }),
  answer: record({ data: list(FOREIGN), object: TEXT, ...PAGE }),
};
export const GET_MODEL: Operation = { endpoint: 'models', summary: 'One model.', answer: ANYTHING };
