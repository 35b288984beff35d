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
  const encoder = new TextEncoder();
  let next: IteratorResult<AnthropicEvent> | undefined = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const result = next ?? (await rest.next());
        next = undefined;
        if (result.done === true) controller.close();
        else controller.enqueue(encoder.encode(writeNamedEvent(result.value)));
      } catch (error) {
        const told = await options.explain(error);
        if (told === undefined) {
          controller.error(error);
          return;
        }
        controller.enqueue(encoder.encode(writeNamedEvent({ type: 'error', error: told })));
        controller.close();
      }
    },
    async cancel() {
      await rest.return?.();
    },
  });
  const headers = new Headers(options.headers);
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  return new Response(body, { status: 200, headers });
}

/** The SDK passes over events that are not named. */
export function writeNamedEvent(event: AnthropicEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
