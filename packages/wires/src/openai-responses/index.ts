export type { OpenAIClient, OpenAIToolSearchOptions } from '../internal/openai-fetch.ts';
export { openaiResponsesWire, responsesDialect } from './responses-dialect.ts';
export type {
  ResponsesEvent,
  ResponsesItem,
  ResponsesRequest,
  ResponsesResponse,
} from './responses-shapes-2026-11.ts';
export { responsesWhole } from './whole.ts';
export { toolSearchFetch, withToolSearch } from './wrap-openai.ts';
