import { ApiError } from './api-error.ts';

/** A request's body, decompressed, or a refusal as soon as it is larger than allowed: nothing beyond the limit is kept. */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const encoding = request.headers.get('content-encoding');
  // No more than its length can come: it may be read at once, which is much faster than by pieces.
  if (length !== null && encoding === null) return readWhole(request);
  if (request.body === null) return Buffer.alloc(0);
  const reader = decoded(request.body, encoding).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error instanceof ApiError ? error : unreadable(error);
  }
  return Buffer.concat(chunks, size);
}

async function readWhole(request: Request): Promise<Buffer> {
  try {
    return Buffer.from(await request.arrayBuffer());
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(cause: unknown): ApiError {
  return new ApiError(400, 'The request body could not be read to its end', { cause });
}

function decoded(body: ReadableStream<Uint8Array>, encoding: string | null): ReadableStream<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'deflate') {
    throw new ApiError(415, `Content-Encoding "${name.slice(0, 40)}" is not supported; send gzip, deflate or none`);
  }
  return body.pipeThrough(new DecompressionStream(name) as ReadableWritablePair<Uint8Array, Uint8Array>);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(413, `The request is larger than ${maxBytes} bytes`, { headers: { connection: 'close' } });
}
