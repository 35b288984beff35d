import { RequestError } from '@quartermaster/core/errors';

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
