import type { Operation } from './api.ts';
import { FLAG, list, optional, record, type Schema, TEXT, WHOLE } from './schema.ts';

const endpoint = 'batches';

/** As in Anthropic's API. */
const BATCH: Schema = { type: 'object' };

export const CREATE_BATCH: Operation = { endpoint, summary: 'Creates a message batch.', body: BATCH, answer: BATCH };
export const LIST_BATCHES: Operation = {
  endpoint,
  summary: 'The batches of this key.',
  query: record({ 'limit?': WHOLE, 'after_id?': TEXT, 'before_id?': TEXT }),
  answer: record({ data: list(BATCH), has_more: FLAG, first_id: optional(TEXT), last_id: optional(TEXT) }),
};
export const GET_BATCH: Operation = { endpoint, summary: 'One batch.', answer: BATCH };
export const CANCEL_BATCH: Operation = { endpoint, summary: 'Cancels a batch.', answer: BATCH };
export const DELETE_BATCH: Operation = {
  endpoint,
  summary: 'Deletes a batch that has ended.',
  answer: record({ id: TEXT, type: TEXT }),
};
export const BATCH_RESULTS: Operation = {
  endpoint,
  summary: 'The results of a batch, one line per request.',
  answer: TEXT,
  answerType: 'application/x-jsonl',
};
