import { streamResponse as respondStream } from '../internal/stream-response.ts';
import type { AnthropicErrorBody, AnthropicEvent } from './anthropic-shapes-2026-11.ts';

/**
 * A streaming response from events, the first of which has already arrived: an upstream that refuses must be able to answer with
 * its own status, not with a stream that breaks. `explain` gives the error event to end with, where a failure has one.
 */
export function streamResponse(
  first: IteratorResult<AnthropicEvent>,
  rest: AsyncIterableIterator<AnthropicEvent>,
  options: {
    readonly headers: Headers;
    readonly explain: (error: unknown) => Promise<AnthropicErrorBody | undefined>;
  },
): Response {
  const explain = async (error: unknown): Promise<string | undefined> => {
    const told = await options.explain(error);
    return told === undefined ? undefined : writeErrorEvent(told);
  };
  return respondStream(
    { writePart: writeNamedEvent, streamEnd: '', explain },
    { first, rest, headers: options.headers },
  );
}

/** The SDK passes over events that are not named. */
export function writeNamedEvent(event: AnthropicEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function writeErrorEvent(error: AnthropicErrorBody): string {
  return writeNamedEvent({ type: 'error', error });
}
