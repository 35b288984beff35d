import {
  type AdaptedDialect,
  type OpenAIClient,
  type OpenAIToolSearchOptions,
  openaiFetch,
  withFetch,
} from '../internal/openai-fetch.ts';
import { loadedTools, openSearch, readTools } from './open.ts';
import { responsesDialect } from './responses-dialect.ts';
import {
  isSearchCall,
  isSearchOutput,
  itemsOf,
  type ResponsesEvent,
  type ResponsesRequest,
  type ResponsesResponse,
} from './responses-shapes-2026-11.ts';

/**
 * A client like the given one, with tool search in `responses`: `create`, `parse` and `stream` work as before, and the model no
 * longer reads every tool. Tools stay in the requests. The gate decides from their size whether they are deferred;
 * `defer_loading: true` decides for one tool. A request with a `tool_search` tool passes unchanged if the host knows it; elsewhere
 * we search in its place, and show the same items, or forward the client's own search as a function.
 *
 * @example
 * const client = withToolSearch(new OpenAI());
 * await client.responses.create({ model, input, tools });
 */
export function withToolSearch<Client extends OpenAIClient>(
  client: Client,
  options: OpenAIToolSearchOptions = {},
): Client {
  return withFetch(client, (send) => toolSearchFetch({ ...options, fetch: send }));
}

/** The same as a `fetch`, for `new OpenAI({ fetch: toolSearchFetch() })`. */
export function toolSearchFetch(
  options: OpenAIToolSearchOptions & { readonly fetch?: typeof fetch } = {},
): typeof fetch {
  return openaiFetch(RESPONSES, options);
}

const RESPONSES: AdaptedDialect<ResponsesRequest, ResponsesEvent, ResponsesResponse> = {
  dialect: responsesDialect,
  isRequest: () => true,
  readTools,
  loadedTools,
  isMarked: (request) =>
    openSearch(request) !== undefined ||
    itemsOf(request).some((item) => isSearchCall(item) || isSearchOutput(item)) ||
    readTools(request).some((tool) => tool.extras.verbatim?.['openai-responses']?.defer_loading !== undefined),
};
