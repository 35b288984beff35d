import { createJsonMeter, describeValues } from '../../json-meter.ts';

export interface BodyLimit {
  readonly maxBytes: number;
  /** How many JSON values it may have. */
  readonly maxValues: number;
  /** Called once, before the body fails with the same error. */
  readonly onOverflow: (error: Error) => void;
}

/**
 * Limits the size of a response's body: the whole of it, or each event of a stream of events, which may last for days. Counted while it
 * is read, after decompression, because an announced length may be false.
 */
export function limitBody(response: Response, limit: BodyLimit): Response {
  if (response.body === null) return response;
  const findExcess = isEventStream(response) ? eventChecker(limit) : bodyChecker(limit);
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const excess = findExcess(chunk);
        if (excess === undefined) {
          controller.enqueue(chunk);
          return;
        }
        const error = new Error(`The server's answer ${excess}; ask for less at once`);
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

/** What is too much about a body, with this piece of it. */
type Checker = (chunk: Uint8Array) => string | undefined;

function bodyChecker({ maxBytes, maxValues }: BodyLimit): Checker {
  const meter = createJsonMeter();
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) return describeBytes(maxBytes);
    return meter.add(chunk).values > maxValues ? describeValues(maxValues) : undefined;
  };
}

/** The same for each event. An event ends with an empty line, and lines end with CR, LF or both. */
function eventChecker({ maxBytes, maxValues }: BodyLimit): Checker {
  const meter = createJsonMeter();
  let bytes = 0;
  let isLineEmpty = true;
  let isAfterReturn = false;
  return (chunk) => {
    let most = 0;
    let values = 0;
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      bytes += 1;
      const isEnd = byte === LINE_FEED || byte === RETURN;
      const isSecondHalf = byte === LINE_FEED && isAfterReturn;
      isAfterReturn = byte === RETURN;
      if (isSecondHalf) continue;
      if (isEnd && isLineEmpty) {
        most = Math.max(most, bytes);
        values = Math.max(values, meter.add(chunk.subarray(start, at)).values);
        bytes = 0;
        start = at;
        meter.reset();
      }
      isLineEmpty = isEnd;
    }
    if (Math.max(most, bytes) > maxBytes) return describeBytes(maxBytes);
    values = Math.max(values, meter.add(chunk.subarray(start)).values);
    return values > maxValues ? describeValues(maxValues) : undefined;
  };
}

function describeBytes(maxBytes: number): string {
  return `is longer than ${maxBytes} bytes`;
}

const LINE_FEED = 10;
const RETURN = 13;
