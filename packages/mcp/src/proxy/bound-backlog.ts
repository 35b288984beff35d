/**
 * A stream of events as its client reads it. What comes faster than that waits here, up to a bound; then the stream fails, since nothing
 * may be left out of it and a server that sends without an end would take all memory.
 */
export function boundBacklog(response: Response, maxBytes: number): Response {
  const { body, status, headers } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const reader = body.getReader();
  const bounded = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const pump = async (): Promise<void> => {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) return controller.close();
            controller.enqueue(value);
            if ((controller.desiredSize ?? 0) > -maxBytes) continue;
            const error = new Error(`The client is more than ${maxBytes} bytes behind`);
            controller.error(error);
            return reader.cancel(error);
          }
        };
        pump().catch((error: unknown) => controller.error(error));
      },
      cancel: (reason) => reader.cancel(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(bounded, { status, headers });
}
