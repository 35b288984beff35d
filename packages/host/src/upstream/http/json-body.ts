import { RequestError, UpstreamError } from '@quartermaster/core/errors';
import { readResponseText } from '@quartermaster/core/internal';
import { quoteAnswer } from './refused-error.ts';

/**
 * A request's body. Throws a `RequestError` where it is nested too deeply to be written. An array of tools that comes with request
 * after request, as the same object, is written once: for many tools that is most of the body.
 */
export function writeBody(body: object): string | Uint8Array<ArrayBuffer> {
  try {
    const tools = 'tools' in body && Array.isArray(body.tools) ? writtenTools(body.tools) : undefined;
    return tools === undefined ? JSON.stringify(body) : around(body, tools);
  } catch (cause) {
    if (isTooDeep(cause)) throw new RequestError('invalid_request', 'The request is nested too deeply', { cause });
    throw cause;
  }
}

/** Whether an error is the engine's own limit on depth. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** Fewer tools are written as fast as they are copied. */
const LEAST_TOOLS = 10;

const SEEN = Symbol('seen once');

/** By the array itself, which callers don't change. Kept from its second request on: most arrays of callers without a cache have only one. */
const written = new WeakMap<readonly unknown[], Uint8Array | typeof SEEN>();

function writtenTools(tools: readonly unknown[]): Uint8Array | undefined {
  if (tools.length < LEAST_TOOLS) return undefined;
  const known = written.get(tools);
  if (known === undefined) {
    written.set(tools, SEEN);
    return undefined;
  }
  if (known !== SEEN) return known;
  const bytes = encoder.encode(JSON.stringify(tools));
  written.set(tools, bytes);
  return bytes;
}

/** The fields before and after `tools` stay where they are: a provider's prompt cache may depend on the order. */
function around(body: object, tools: Uint8Array): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(body);
  const at = entries.findIndex(([name]) => name === 'tools');
  const before = inner(entries.slice(0, at));
  const after = inner(entries.slice(at + 1));
  const head = encoder.encode(`{${before}${before === '' ? '' : ','}"tools":`);
  const tail = encoder.encode(`${after === '' ? '' : ','}${after}}`);
  const bytes = new Uint8Array(head.length + tools.length + tail.length);
  bytes.set(head);
  bytes.set(tools, head.length);
  bytes.set(tail, head.length + tools.length);
  return bytes;
}

/** Without the braces. */
function inner(entries: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(Object.fromEntries(entries)).slice(1, -1);
}

const encoder = new TextEncoder();

/** An answer of which more came than is allowed. Asking again would bring as much. */
export function tooLarge(maxBytes: number): UpstreamError {
  const message = `The upstream's answer is larger than ${maxBytes} bytes`;
  return new UpstreamError({ code: 'malformed', message, shouldRetry: false });
}

/** An event that does not end within what is allowed. */
export function tooLong(maxEventLength: number): UpstreamError {
  const message = `An event of the upstream's stream is longer than ${maxEventLength} characters`;
  return new UpstreamError({ code: 'malformed', message, shouldRetry: false });
}

/** A body as JSON. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const { text, isCut } = await readResponseText(response, maxBytes);
  if (isCut) throw tooLarge(maxBytes);
  return parseJson(text);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `The upstream sent something that is not JSON: ${JSON.stringify(quoteAnswer(text).slice(0, 200))}`;
    throw new UpstreamError({ code: 'malformed', message, cause });
  }
}
