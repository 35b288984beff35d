import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { AnthropicUsage } from '@quartermaster/wires/anthropic';

/** Of a message that has only begun: what it costs is known at its end. */
export const EMPTY_USAGE: AnthropicUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  server_tool_use: null,
  service_tier: null,
  inference_geo: null,
  output_tokens_details: null,
  speed: null,
};

/** Here `input_tokens` are those that no cache had; elsewhere the total. */
export function writeUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): AnthropicUsage {
  const { total = 0, cacheRead, cacheWrite } = inputTokens;
  const noCache = inputTokens.noCache ?? Math.max(0, total - (cacheRead ?? 0) - (cacheWrite ?? 0));
  return {
    ...EMPTY_USAGE,
    input_tokens: noCache,
    output_tokens: outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0),
    cache_creation_input_tokens: cacheWrite ?? null,
    cache_read_input_tokens: cacheRead ?? null,
  };
}
