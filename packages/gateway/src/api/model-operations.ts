import type { Operation } from './api.ts';
import { ANYTHING, FLAG, list, optional, record, type Schema, TEXT, WHOLE } from './schema.ts';

/** Bodies and answers are those of the hosts' own APIs. */
const FOREIGN: Schema = { type: 'object' };

/** A request to a model in one of the hosts' dialects. */
export function modelOperation(endpoint: string): Operation {
  const summary = `${NAMES[endpoint] ?? endpoint}, with tool search. Streams where the request asks for it.`;
  return { endpoint, summary, body: FOREIGN, answer: FOREIGN };
}

const NAMES: Readonly<Record<string, string>> = {
  messages: 'Anthropic Messages',
  chat_completions: 'OpenAI Chat Completions',
  responses: 'OpenAI Responses',
};

export const COUNT_TOKENS: Operation = {
  endpoint: 'count_tokens',
  summary: 'Input tokens of an Anthropic Messages request.',
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

const PAGE = { has_more: FLAG, first_id: optional(TEXT), last_id: optional(TEXT) };

export const LIST_MODELS: Operation = {
  endpoint: 'models',
  summary: 'The models that this key may use.',
  query: record({ 'limit?': WHOLE, 'after_id?': TEXT, 'before_id?': TEXT }),
  answer: record({ data: list(FOREIGN), object: TEXT, ...PAGE }),
};
export const GET_MODEL: Operation = { endpoint: 'models', summary: 'One model.', answer: ANYTHING };
