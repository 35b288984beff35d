import type { AnthropicErrorBody, AnthropicEvent } from './anthropic-shapes-2026-11.ts';

/** The SDK passes over events that are not named. */
export function writeNamedEvent(event: AnthropicEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function writeErrorEvent(error: AnthropicErrorBody): string {
  return writeNamedEvent({ type: 'error', error });
}
