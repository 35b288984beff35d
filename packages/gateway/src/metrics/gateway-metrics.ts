import type { RerankerEvent } from '@quartermaster/core/search';
import type { GatewayEvent, RequestRecord } from '../events/index.ts';
import { type Counter, createRegistry, type Histogram, type Registry } from './registry.ts';

/** What a gateway counts. Labels are routes, statuses, outcomes and what the settings name: never a tool's, a user's or a model's words. */
export interface GatewayMetrics {
  readonly registry: Registry;
  readonly requests: Counter;
  readonly seconds: Histogram;
  readonly tokens: Counter;
  readonly batchItems: Counter;
  /** A call to a server that a request has named. */
  onConnectorCall(call: McpCall & { readonly pattern: string }): void;
  /** A call to a configured server. */
  onServerCall(call: McpCall & { readonly server: string }): void;
  onEvent(event: GatewayEvent): void;
  /** A request that has been answered. */
  onRequest(record: RequestRecord): void;
  onRerankerEvent(event: RerankerEvent): void;
}

interface McpCall {
  readonly isError: boolean;
  readonly durationMs: number;
}

export function createGatewayMetrics(): GatewayMetrics {
  const registry = createRegistry();
  const searches = registry.counter(
    'quartermaster_searches_total',
    'Searches that models made, by engine and verdict (match, none, failure, stopped).',
  );
  const decisions = registry.counter(
    'quartermaster_decisions_total',
    'What became of the tools of a request: deferred, sent inline, or passed on.',
  );
  const keptOut = registry.counter(
    'quartermaster_tokens_kept_out_total',
    'Tokens of tool definitions that were not sent, estimated.',
  );
  const added = registry.counter(
    'quartermaster_tokens_added_total',
    'Tokens that tool search added: its tools, answers, and rounds that were repeated. Net is kept out minus added.',
  );
  const notCalled = registry.counter(
    'quartermaster_tools_found_not_called_total',
    'Tools that searches of a response found and the response did not call.',
  );
  const reach = registry.counter(
    'quartermaster_reach_total',
    'Responses with deferred tools, by model and whether the model searched, called a tool without searching, or did neither.',
  );
  const bounded = boundedNames();
  const found = registry.counter('quartermaster_tools_found_total', 'Tools that searches returned.');
  const searchSeconds = registry.histogram('quartermaster_tool_search_seconds', 'Time that a search took.', SHORT);
  const preparations = registry.counter(
    'quartermaster_search_preparations_total',
    'Catalogs that were made ready to be searched before a model did, by outcome.',
  );
  const failures = registry.counter(
    'quartermaster_reranker_failures_total',
    'Searches answered without the reranker (fallback), and failures of the store for its vectors (store-failed), by kind.',
  );
  const reranked = registry.counter(
    'quartermaster_reranked_searches_total',
    'Searches of an engine with a reranker, by what became of it: used, fallback (failed or late), skipped (not its language).',
  );
  const rerankedTexts = registry.counter('quartermaster_reranker_texts_total', 'Texts that the reranker was given.');
  const connectorCalls = registry.counter(
    'quartermaster_connector_calls_total',
    'Calls to MCP servers that requests name, by the pattern that allows them and outcome.',
  );
  const connectorSeconds = registry.histogram(
    'quartermaster_connector_call_seconds',
    'Time that such a call took.',
    LONG,
  );
  const serverCalls = registry.counter(
    'quartermaster_mcp_calls_total',
    'Calls to configured MCP servers, by server and outcome.',
  );
  const serverSeconds = registry.histogram('quartermaster_mcp_call_seconds', 'Time that such a call took.', LONG);
  return {
    registry,
    onConnectorCall({ pattern, isError, durationMs }) {
      connectorCalls.add({ pattern, outcome: outcomeOf(isError) });
      connectorSeconds.observe(durationMs / 1000, { pattern });
    },
    onServerCall({ server, isError, durationMs }) {
      serverCalls.add({ server, outcome: outcomeOf(isError) });
      serverSeconds.observe(durationMs / 1000, { server });
    },
    onRerankerEvent(event) {
      if (event.kind === 'call') rerankedTexts.add({}, event.texts);
      else if (event.kind !== 'skipped') failures.add({ kind: event.kind });
    },
    requests: registry.counter('quartermaster_requests_total', 'Requests, by route and status.'),
    seconds: registry.histogram('quartermaster_request_seconds', 'Time until a response had ended.', LONG),
    tokens: registry.counter('quartermaster_tokens_total', 'Tokens that upstreams reported, by direction.'),
    batchItems: registry.counter('quartermaster_batch_items_total', 'Items of batches, by outcome.'),
    onRequest({ decision, model = '', searches: made, called, loaded, tokens }) {
      if (decision !== undefined) decisions.add({ decision });
      if (decision === 'defer') reach.add({ model: bounded(model), outcome: reachOf(made.length, called.length) });
      const unused = loaded.filter(({ by }) => by === 'search').length - called.length;
      if (unused > 0) notCalled.add({}, unused);
      if (tokens === undefined) return;
      keptOut.add({ model: bounded(model) }, tokens.keptOut);
      added.add({ model: bounded(model) }, tokens.added);
    },
    onEvent(event) {
      if (event.kind === 'search-prepare-end') preparations.add({ outcome: outcomeOf(event.isError) });
      if (event.kind !== 'tool-search-end') return;
      searches.add({ engine: event.engine ?? 'none', verdict: event.outcome });
      if (event.reranker !== undefined) reranked.add({ outcome: event.reranker });
      if (event.found.length > 0) found.add({}, event.found.length);
      searchSeconds.observe(event.durationMs / 1000);
    },
  };
}

function reachOf(searches: number, calls: number): string {
  if (searches > 0) return 'searched';
  return calls > 0 ? 'called' : 'neither';
}

/** Clients choose names of models: only so many become labels. */
const MOST_NAMES = 100;

function boundedNames(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < MOST_NAMES) known.add(name);
    return known.has(name) ? name : 'other';
  };
}

function outcomeOf(isError: boolean): string {
  return isError ? 'error' : 'success';
}

const SHORT = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 1];
const LONG = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
