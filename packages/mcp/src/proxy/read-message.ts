import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { createJsonMeter, findExcess, type JsonLimits } from '../json-meter.ts';
import type { Access } from './mcp-proxy.ts';

/** What a client may send at once. */
export interface MessageLimits extends JsonLimits {
  readonly maxBytes: number;
}

/** A request that was read within its limits; or the answer to one that was not. */
type ReadMessage =
  | { readonly kind: 'message'; readonly request: Request; readonly body: { readonly parsedBody?: unknown } }
  | { readonly kind: 'refused'; readonly response: Response };

/** The SDK refuses more, after it has looked at every one of them. */
const MOST_IN_BATCH = 100;

/** Reads what was posted, once for all that looks at it. Its size is known before it is parsed, and each message of a batch counts. */
export async function readMessage(request: Request, access: Access, limits: MessageLimits): Promise<ReadMessage> {
  if (request.method !== 'POST') return { kind: 'message', request, body: {} };
  const { maxBytes } = limits;
  const bytes = await readBody(request, maxBytes);
  if (bytes === undefined)
    return refuse(413, 'InvalidRequest', `The request is larger than ${maxBytes} bytes (mcp.requestBytes)`);
  const excess = findExcess(createJsonMeter().add(bytes), limits);
  if (excess !== undefined) return refuse(413, 'InvalidRequest', `The request ${excess}`);
  const { method, url, signal } = request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  const again = new Request(url, { method, headers, signal, ...(bytes.length === 0 ? {} : { body: bytes }) });
  let parsedBody: unknown;
  try {
    parsedBody = JSON.parse(bytes.toString('utf8'));
  } catch {
    // What is no JSON the SDK refuses in the words of the protocol.
    return { kind: 'message', request: again, body: {} };
  }
  if (Array.isArray(parsedBody)) {
    const { length } = parsedBody;
    if (length > MOST_IN_BATCH)
      return refuse(400, 'InvalidRequest', `A batch may have ${MOST_IN_BATCH} messages at most, not ${length}`);
    if (length > 1) await access.admitBatch?.(length - 1);
  }
  return { kind: 'message', request: again, body: { parsedBody } };
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

function refuse(status: number, code: keyof typeof ProtocolErrorCode, message: string): ReadMessage {
  const error = { code: ProtocolErrorCode[code], message };
  return { kind: 'refused', response: Response.json({ jsonrpc: '2.0', id: null, error }, { status }) };
}
