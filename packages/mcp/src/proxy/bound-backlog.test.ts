import { describe, expect, it } from 'vitest';
import { boundBacklog } from './bound-backlog.ts';

const EVENTS = { headers: { 'content-type': 'text/event-stream' } };

/** A stream of so many pieces of a hundred bytes; notes how many were taken from it, and why it was given up. */
function sender(count: number) {
  const seen: { taken: number; reason?: unknown } = { taken: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.taken === count) return controller.close();
        seen.taken += 1;
        controller.enqueue(new Uint8Array(100));
      },
      cancel(reason) {
        seen.reason = reason;
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, response: new Response(body, EVENTS) };
}

describe('boundBacklog', () => {
  it('passes on all that a client reads, however slowly', async () => {
    const { response } = sender(10);
    const bounded = boundBacklog(response, 2_000);
    expect(bounded.headers.get('content-type')).toBe('text/event-stream');
    expect((await bounded.arrayBuffer()).byteLength).toBe(1_000);
  });

  it('fails for a client that is too far behind, and stops the sender', async () => {
    const { response, seen } = sender(Number.POSITIVE_INFINITY);
    const reader = boundBacklog(response, 2_000).body?.getReader();
    await expect.poll(() => seen.reason).toEqual(new Error('The client is more than 2000 bytes behind'));
    expect(seen.taken).toBe(20);
    await expect(reader?.read()).rejects.toThrow('behind');
  });

  it('tells the sender when its client is gone', async () => {
    let reason: unknown;
    const silent = new ReadableStream<Uint8Array>({
      cancel(given) {
        reason = given;
      },
    });
    await boundBacklog(new Response(silent, EVENTS), 2_000).body?.cancel('gone');
    expect(reason).toBe('gone');
  });

  it('leaves what is no stream of events as it is', () => {
    const response = Response.json({});
    expect(boundBacklog(response, 1)).toBe(response);
  });
});
