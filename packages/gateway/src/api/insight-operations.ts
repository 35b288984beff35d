import type { Operation } from './api.ts';
import {
  ACTIVITY_ANSWER,
  ACTIVITY_QUERY,
  DAYS_QUERY,
  REACH_ANSWER,
  REQUEST_RECORD,
  SAVINGS_ANSWER,
  UNANSWERED_ANSWER,
  UNANSWERED_QUERY,
  WIRE_ANSWER,
} from './insight-schemas.ts';
import { TEXT } from './schema.ts';

const endpoint = 'insight';

export const ACTIVITY: Operation = {
  endpoint,
  summary: 'The latest requests, and those in progress. A key sees its own, an admin key sees all.',
  query: ACTIVITY_QUERY,
  answer: ACTIVITY_ANSWER,
};
export const ACTIVITY_LIVE: Operation = {
  endpoint,
  summary:
    'Finished requests as server-sent events named `request`, and the requests in progress as `running` events whenever they change; a `missed` event says how many a slow reader lost. Admin keys also receive `server` events when the state or a definition of a server changes.',
  answer: TEXT,
  answerType: 'text/event-stream',
};
export const ONE_ACTIVITY: Operation = { endpoint, summary: 'One request.', answer: REQUEST_RECORD };
export const WIRE: Operation = {
  endpoint,
  summary:
    'What was sent to the models for one request, and what they answered: system prompt, tools and messages. Requires insight.wire.',
  answer: WIRE_ANSWER,
};
export const SAVINGS: Operation = {
  endpoint,
  summary:
    'Tokens kept out of requests, tokens added, and the difference, by day, model, key and catalog; also in dollars if the settings have prices.',
  query: DAYS_QUERY,
  answer: SAVINGS_ANSWER,
};
export const UNANSWERED: Operation = {
  endpoint,
  summary:
    'Searches that found nothing, without repeats, with the nearest tools. The query texts require insight: queries.',
  query: UNANSWERED_QUERY,
  answer: UNANSWERED_ANSWER,
};
export const REACH: Operation = {
  endpoint,
  summary: 'Whether models search for deferred tools, by model and form.',
  query: DAYS_QUERY,
  answer: REACH_ANSWER,
};
