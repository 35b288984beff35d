import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';

/** A finish reason in the words of the Messages API. The words that the interface does not have are taken from the raw one. */
export function stopReason({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean): string {
  if (raw !== undefined && RAW.has(raw)) return raw;
  // Many hosts say "stop" when they have called.
  if (hasCalls && (unified === 'stop' || unified === 'other' || unified === 'tool-calls')) return 'tool_use';
  switch (unified) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    default:
      return 'end_turn';
  }
}

const RAW: ReadonlySet<string> = new Set(['stop_sequence', 'pause_turn', 'refusal', 'model_context_window_exceeded']);
