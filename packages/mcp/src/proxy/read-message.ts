import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { createJsonMeter, findExcess, type JsonLimits } from '../json-meter.ts';
import type { Access } from './mcp-proxy.ts';

/** What a client may send at once. */
export interface MessageLimits extends JsonLimits {
  readonly maxBytes: number;
}

/** A request, and what it posted if that is JSON. */
export interface Posted {
  readonly request: Request;
  readonly body: { readonly parsedBody?: unknown };
}

/** The SDK refuses more, after it has looked at every one of them. */
const MOST_IN_BATCH = 100;

/**
 * Reads what was posted, once for all that looks at it. Its size is known before it is parsed, and each message of a batch counts.
 * Resolves to a response for what exceeds the limits.
 */
export async function readMessage(request: Request, access: Access, limits: MessageLimits): Promise<Posted | Response> {
  if (request.method !== 'POST') return { request, body: {} };
  const { maxBytes } = limits;
  const bytes = await readBody(request, maxBytes);
  const tooLarge = `The request is larger than ${maxBytes} bytes (mcp.requestBytes)`;
  if (bytes === undefined) return refuse(413, tooLarge, ProtocolErrorCode.InvalidRequest);
  const excess = findExcess(createJsonMeter().add(bytes), limits);
  if (excess !== undefined) return refuse(413, `The request ${excess}`, ProtocolErrorCode.InvalidRequest);
  const { method, url, signal } = request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  const again = new Request(url, { method, headers, signal, ...(bytes.length === 0 ? {} : { body: bytes }) });
  let parsedBody: unknown;
  try {
    parsedBody = JSON.parse(bytes.toString('utf8'));
  } catch {
    // What is no JSON the SDK refuses in the words of the protocol.
    return { request: again, body: {} };
  }
  if (Array.isArray(parsedBody)) {
    const { length } = parsedBody;
    const tooMany = `A batch may have ${MOST_IN_BATCH} messages at most, not ${length}`;
    if (length > MOST_IN_BATCH) return refuse(400, tooMany, ProtocolErrorCode.InvalidRequest);
    if (length > 1) await access.admitBatch?.(length - 1);
  }
  return { request: again, body: { parsedBody } };
}

/** Undefined as soon as there is more than is allowed. */
async function readBody(request: Request, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The answer to a request that is not served at all. */
export function refuse(status: number, message: string, code: number = -32_000): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
