import { isJsonObject } from '@quartermaster/core/catalog';
import type { Usage } from './sdk-message.ts';

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  server_tool_use: { tool_search_requests: 0 },
};

/** The usage that a response reports. Hosts leave fields out, or send null. */
export function readUsage(value: unknown): Usage {
  const usage = isJsonObject(value) ? value : {};
  const ran = isJsonObject(usage.server_tool_use) ? usage.server_tool_use : {};
  return {
    input_tokens: count(usage.input_tokens),
    output_tokens: count(usage.output_tokens),
    cache_creation_input_tokens: count(usage.cache_creation_input_tokens),
    cache_read_input_tokens: count(usage.cache_read_input_tokens),
    server_tool_use: { tool_search_requests: count(ran.tool_search_requests) },
  };
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    cache_creation_input_tokens: left.cache_creation_input_tokens + right.cache_creation_input_tokens,
    cache_read_input_tokens: left.cache_read_input_tokens + right.cache_read_input_tokens,
    server_tool_use: {
      tool_search_requests: left.server_tool_use.tool_search_requests + right.server_tool_use.tool_search_requests,
    },
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
