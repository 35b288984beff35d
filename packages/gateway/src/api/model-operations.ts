import type { Operation } from './api.ts';
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
const PAGE = { has_more: FLAG, first_id: optional(TEXT), last_id: optional(TEXT) };

export const LIST_MODELS: Operation = {
  endpoint: 'models',
  summary: 'The models that this key may use.',
  query: record({ 'limit?': WHOLE, 'after_id?': TEXT, 'before_id?': TEXT }),
  answer: record({ data: list(FOREIGN), object: TEXT, ...PAGE }),
};
export const GET_MODEL: Operation = { endpoint: 'models', summary: 'One model.', answer: ANYTHING };
