import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface Reading {
  /** Its reason is what the body fails with once it aborts. */
  readonly signal: AbortSignal | undefined;
  /** The longest body that is read, decompressed. @default any */
  readonly maxBytes?: number;
}

/** What came in over Node's own client, as `fetch` gives it. */
export function responseOf(incoming: IncomingMessage, reading: Reading): Response {
  try {
    const headers = new Headers();
    for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
      headers.append(String(incoming.rawHeaders[at]), String(incoming.rawHeaders[at + 1]));
    }
    const { statusCode: status = 0 } = incoming;
    if (!EMPTY.has(status)) return new Response(bodyOf(decoded(incoming), reading), { status, headers });
    incoming.resume();
    return new Response(null, { status, headers });
  } catch (error) {
    // Not a valid status. The rest will not be read, and would hold the connection.
    incoming.destroy();
    throw error;
  }
}

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Read as fast as its reader, and no faster. */
function bodyOf(
  source: Readable,
  { signal, maxBytes = Number.POSITIVE_INFINITY }: Reading,
): ReadableStream<Uint8Array> {
  let size = 0;
  // Node may have more events under way when the stream is over, and a controller throws at them.
  let isOver = false;
  const once = (finish: () => void): void => {
    if (!isOver) finish();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      source.on('data', (chunk: Buffer) => {
        if (isOver) return;
        size += chunk.length;
        if (size > maxBytes) {
          once(() => controller.error(new Error(`its response is longer than ${maxBytes} bytes`)));
          source.destroy();
          return;
        }
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) source.pause();
      });
      source.on('end', () => once(() => controller.close()));
      source.on('error', (cause) => {
        once(() => controller.error(signal?.aborted === true ? signal.reason : new TypeError('terminated', { cause })));
      });
    },
    pull() {
      source.resume();
    },
    cancel() {
      once(() => source.destroy());
    },
  });
}

/** Some hosts compress though they were asked not to. */
function decoded(incoming: IncomingMessage): Readable {
  const decoder = DECODERS.get(incoming.headers['content-encoding']?.toLowerCase() ?? '');
  if (decoder === undefined) return incoming;
  const stream = decoder();
  incoming.on('error', (error) => stream.destroy(error));
  stream.once('close', () => incoming.destroy());
  return incoming.pipe(stream);
}

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
