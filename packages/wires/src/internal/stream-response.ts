import type { Endpoint } from '../dialect.ts';

/** How a dialect writes its streams. */
export type StreamEndpoint<Part> = Pick<Endpoint<Part>, 'writePart' | 'streamEnd'>;

/** What ends a stream in the middle of which something failed. Undefined: it breaks off, as there is nothing to tell. */
export type Explain = (error: unknown) => Promise<string | undefined>;

export interface StreamSource<Part> {
  /** Already here: a host that refuses must be able to answer with its own status, not with a stream that breaks. */
  readonly first: IteratorResult<Part>;
  readonly rest: AsyncIterableIterator<Part>;
  readonly headers: Headers;
  readonly explain: Explain;
}

/** A streaming response. The parts are stopped when no one reads on. */
export function streamResponse<Part>(endpoint: StreamEndpoint<Part>, source: StreamSource<Part>): Response {
  const { rest } = source;
  let next: IteratorResult<Part> | undefined = source.first;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const result = next ?? (await rest.next());
        next = undefined;
        if (result.done !== true) return controller.enqueue(encoder.encode(endpoint.writePart(result.value)));
        if (endpoint.streamEnd !== '') controller.enqueue(encoder.encode(endpoint.streamEnd));
        controller.close();
      } catch (error) {
        const told = await source.explain(error);
        if (told === undefined) return controller.error(error);
        controller.enqueue(encoder.encode(told));
        controller.close();
      }
    },
    async cancel() {
      await rest.return?.();
    },
  });
  return eventStream(body, source.headers);
}

/** The body as a stream of events; what the headers say otherwise stays. */
export function eventStream(body: BodyInit, given: Headers): Response {
  const headers = new Headers(given);
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  return new Response(body, { headers });
}
