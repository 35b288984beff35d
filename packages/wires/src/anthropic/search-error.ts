import type { Unavailable } from '@quartermaster/core/disclosure';
import { cutText } from '@quartermaster/core/internal';
import type { AnthropicBlock } from './anthropic-shapes-2026-11.ts';

/**
 * Which codes a failed search shows. The API's documentation and its types disagree: `typed` are the codes of the types,
 * `documented` those of the documentation.
 */
export type ErrorCodes = 'typed' | 'documented';

/** A failed search as the content of its result. */
export function searchError(
  codes: ErrorCodes,
  failure: { readonly code: string; readonly message: string },
): AnthropicBlock {
  const code = Object.hasOwn(CODES, failure.code) ? CODES[failure.code]?.[codes] : undefined;
  return {
    type: 'tool_search_tool_result_error',
    error_code: code ?? 'unavailable',
    error_message: failure.message,
  };
}

/** A search that found nothing while some servers could not be searched. */
export function unreachable(servers: readonly Unavailable[]): { readonly code: string; readonly message: string } {
  const named = servers.slice(0, MOST_SERVERS).map(({ server, reason }) => {
    return `${cutText(server, SERVER_LENGTH)} (${cutText(reason, REASON_LENGTH)})`;
  });
  const rest = servers.length - named.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return { code: 'unavailable', message: `No tool fits, but not reachable now: ${named.join(', ')}${more}.` };
}

const MOST_SERVERS = 5;
const SERVER_LENGTH = 60;
const REASON_LENGTH = 160;

/** From our codes to theirs. The documentation has none for a search that took too long, or for invalid input. */
const CODES: Readonly<Record<string, { readonly [Codes in ErrorCodes]: string }>> = {
  invalid_pattern: { typed: 'invalid_tool_input', documented: 'invalid_pattern' },
  pattern_too_long: { typed: 'invalid_tool_input', documented: 'pattern_too_long' },
  query_too_long: { typed: 'invalid_tool_input', documented: 'pattern_too_long' },
  invalid_arguments: { typed: 'invalid_tool_input', documented: 'invalid_pattern' },
  invalid_limit: { typed: 'invalid_tool_input', documented: 'invalid_pattern' },
  out_of_budget: { typed: 'execution_time_exceeded', documented: 'unavailable' },
  too_many_requests: { typed: 'too_many_requests', documented: 'too_many_requests' },
};
