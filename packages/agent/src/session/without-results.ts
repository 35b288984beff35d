import type { SDKUserBlock } from '../sdk-message.ts';

/** Replaces results that will not arrive: a call without one would be lost to the conversation. */
export function withoutResults(calls: readonly { readonly id: string }[], reason: string): readonly SDKUserBlock[] {
  return calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: reason, is_error: true }));
}
