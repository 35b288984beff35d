import { isJsonObject } from '@quartermaster/core/catalog';
import type { Usage } from './sdk-message.ts';

type TokenCount = Exclude<keyof Usage, 'server_tool_use'>;

/** A usage made of the number for each count, and for the searches. */
function usageOf(tokens: (name: TokenCount) => number, searches: number): Usage {
  return {
    input_tokens: tokens('input_tokens'),
    output_tokens: tokens('output_tokens'),
    cache_creation_input_tokens: tokens('cache_creation_input_tokens'),
    cache_read_input_tokens: tokens('cache_read_input_tokens'),
    server_tool_use: { tool_search_requests: searches },
  };
}

export const NO_USAGE: Usage = usageOf(() => 0, 0);

/** The usage that a response reports. Hosts leave fields out, or send null. */
export function readUsage(value: unknown): Usage {
  const usage = isJsonObject(value) ? value : {};
  const ran = isJsonObject(usage.server_tool_use) ? usage.server_tool_use : {};
  return usageOf((name) => count(usage[name]), count(ran.tool_search_requests));
}

export function addUsage(left: Usage, right: Usage): Usage {
  const searches = left.server_tool_use.tool_search_requests + right.server_tool_use.tool_search_requests;
  return usageOf((name) => left[name] + right[name], searches);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
