import type { ToolboxEvent } from '@quartermaster/core';
import { type Counter, createRegistry, type Histogram, type Registry } from './registry.ts';

/** What a gateway counts. Labels are routes, statuses, upstreams and outcomes: never a tool's, a user's or a model's words. */
export interface GatewayMetrics {
  readonly registry: Registry;
  readonly requests: Counter;
  readonly seconds: Histogram;
  readonly tokens: Counter;
  readonly batchItems: Counter;
  onToolboxEvent(event: ToolboxEvent): void;
}

export function createGatewayMetrics(): GatewayMetrics {
  const registry = createRegistry();
  const searches = registry.counter('quartermaster_tool_searches_total', 'Searches that models made, by outcome.');
  const found = registry.counter('quartermaster_tools_found_total', 'Tools that searches returned.');
  const searchSeconds = registry.histogram('quartermaster_tool_search_seconds', 'Time that a search took.', SHORT);
  return {
    registry,
    requests: registry.counter('quartermaster_requests_total', 'Requests, by route and status.'),
    seconds: registry.histogram('quartermaster_request_seconds', 'Time until a response had ended.', LONG),
    tokens: registry.counter('quartermaster_tokens_total', 'Tokens that upstreams reported, by direction.'),
    batchItems: registry.counter('quartermaster_batch_items_total', 'Items of batches, by outcome.'),
    onToolboxEvent(event) {
      if (event.kind !== 'tool-search-end') return;
      searches.add({ outcome: event.outcome });
      if (event.found.length > 0) found.add({}, event.found.length);
      searchSeconds.observe(event.durationMs / 1000);
    },
  };
}

const SHORT = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 1];
const LONG = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
