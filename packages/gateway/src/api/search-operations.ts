import type { Operation } from './api.ts';
import {
  ENGINES_ANSWER,
  EVALUATE_BODY,
  EVALUATION_ANSWER,
  OWN_TOOLS_BODY,
  SEARCH_ANSWER,
  SEARCH_BODY,
} from './search-schemas.ts';

const endpoint = 'search';

export const SEARCH_CATALOG: Operation = {
  endpoint,
  summary: 'Searches a catalog without a model.',
  body: SEARCH_BODY,
  answer: SEARCH_ANSWER,
};
export const EVALUATE: Operation = {
  endpoint,
  summary: 'How many labelled requests find their tool among the first one, three and five results.',
  body: EVALUATE_BODY,
  answer: EVALUATION_ANSWER,
};
export const SEARCH_TOOLS: Operation = {
  endpoint,
  summary: 'Searches the tools in the request.',
  body: OWN_TOOLS_BODY,
  answer: SEARCH_ANSWER,
};
export const ENGINES: Operation = {
  endpoint,
  summary: 'The search engines that this gateway can run.',
  answer: ENGINES_ANSWER,
};
