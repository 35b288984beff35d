import { ApiError } from './api-error.ts';

/** A request's body, decompressed, or a refusal as soon as it is larger than allowed: nothing beyond the limit is kept. */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return Buffer.alloc(0);
  const reader = decoded(request.body, request.headers.get('content-encoding')).getReader();
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
    if (error instanceof ApiError) throw error;
    throw new ApiError(400, 'The request body could not be read to its end', { cause: error });
  }
  return Buffer.concat(chunks, size);
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
