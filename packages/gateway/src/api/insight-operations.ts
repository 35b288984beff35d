import type { Operation } from './api.ts';
import { ACTIVITY_ANSWER, ACTIVITY_QUERY, REQUEST_RECORD, SAVINGS_ANSWER } from './insight-schemas.ts';
import { TEXT } from './schema.ts';

const endpoint = 'insight';

export const ACTIVITY: Operation = {
  endpoint,
  summary: 'The latest requests. A key sees its own, an admin key everyone’s.',
  query: ACTIVITY_QUERY,
  answer: ACTIVITY_ANSWER,
};
export const ACTIVITY_LIVE: Operation = {
  endpoint,
  summary: 'Requests as they are answered, as server-sent events named `request`.',
  answer: TEXT,
  answerType: 'text/event-stream',
};
export const ONE_ACTIVITY: Operation = { endpoint, summary: 'One request.', answer: REQUEST_RECORD };
export const SAVINGS: Operation = {
  endpoint,
  summary: 'Tokens kept out, added and net, by day, model and key.',
  answer: SAVINGS_ANSWER,
};
