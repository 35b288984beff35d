export interface BodyLimit {
  readonly maxBytes: number;
  /** Called once, before the body fails with the same error. */
  readonly onOverflow: (error: Error) => void;
}

/**
 * Limits the size of a response's body: the whole of it, or each event of a stream of events, which may last for days. Counted while it
 * is read, after decompression, because an announced length may be false.
 */
export function limitBody(response: Response, limit: BodyLimit): Response {
  if (response.body === null) return response;
  const count = isEventStream(response) ? createEventCounter() : createCounter();
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk) <= limit.maxBytes) {
          controller.enqueue(chunk);
          return;
        }
        const error = new Error(`The server's answer is longer than ${limit.maxBytes} bytes; ask for less at once`);
        limit.onOverflow(error);
        controller.error(error);
      },
    }),
  );
  const { headers, status, statusText, ok, url, redirected } = response;
  // No constructor accepts an address, or a status that a server made up.
  return Object.defineProperties(new Response(limited, { headers }), {
    status: { value: status },
    statusText: { value: statusText },
    ok: { value: ok },
    url: { value: url },
    redirected: { value: redirected },
  });
}

export function isEventStream(response: Response): boolean {
  return /^\s*text\/event-stream\s*(;|$)/i.test(response.headers.get('content-type') ?? '');
}

type Counter = (chunk: Uint8Array) => number;

function createCounter(): Counter {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return bytes;
  };
}

/** The largest size of an event within the chunk. An event ends with an empty line, and lines end with CR, LF or both. */
function createEventCounter(): Counter {
  let bytes = 0;
  let isLineEmpty = true;
  let isAfterReturn = false;
  return (chunk) => {
    let most = 0;
    for (const byte of chunk) {
      bytes += 1;
      const isEnd = byte === LINE_FEED || byte === RETURN;
      const isSecondHalf = byte === LINE_FEED && isAfterReturn;
      isAfterReturn = byte === RETURN;
      if (isSecondHalf) continue;
      if (isEnd && isLineEmpty) {
        most = Math.max(most, bytes);
        bytes = 0;
      }
      isLineEmpty = isEnd;
    }
    return Math.max(most, bytes);
  };
}

const LINE_FEED = 10;
const RETURN = 13;
