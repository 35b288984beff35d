import { SYSTEM_CLOCK } from '@quartermaster/core/internal';
import { HTTP_LIMITS, type HttpLimits } from './http-upstream-options.ts';
import { isRedirect, tooLarge, tooLong } from './post.ts';
import { HIGHEST_STATUS, readRefusal, redirectedError, refusedError } from './refused-error.ts';

/**
 * A fetch for packages that read answers themselves, with the rules that apply where we read them: a redirect is an error, because
 * the key and the prompt would be sent wherever it leads, and neither an answer nor one event of it may exceed the
 * limits. A stream has the limit of a whole answer too: a caller that asked for no stream would collect one.
 */
export function guardFetch(ask: typeof fetch = fetch, limits: HttpLimits = {}): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, { ...init, redirect: 'manual' });
    if (isRedirect(response)) throw await redirectedError(response);
    const sent = new Headers(init?.headers);
    if (response.status > HIGHEST_STATUS || response.status === 407) {
      throw await refusedError(response, SYSTEM_CLOCK, { sent });
    }
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = response.ok ? response.body.pipeThrough(bounded(headers, limits)) : await readRefusal(response, sent);
    return new Response(body, { status, statusText, headers });
  };
}

type Watch = TransformStream<Uint8Array, Uint8Array>;

function bounded(headers: Headers, limits: HttpLimits): Watch {
  const { maxEventLength, maxBodyBytes } = { ...HTTP_LIMITS, ...limits };
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  const longest = isStream ? longestEvent() : () => 0;
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
      if (longest(chunk) > maxEventLength) throw tooLong(maxEventLength);
      controller.enqueue(chunk);
    },
  });
}

/**
 * The length of the longest event so far, in characters of a string, computed from the bytes: continuation bytes
 * count nothing, and the first byte of a surrogate pair counts twice. A blank line ends an event.
 */
function longestEvent(): (chunk: Uint8Array) => number {
  let length = 0;
  let longest = 0;
  let isLineEmpty = true;
  let isAfterReturn = false;
  return (chunk) => {
    for (const byte of chunk) {
      // A carriage return and the line feed after it end one line.
      if (byte === RETURN || (byte === LINE_FEED && !isAfterReturn)) {
        if (isLineEmpty) length = 0;
        isLineEmpty = true;
      } else if (byte !== LINE_FEED) {
        isLineEmpty = false;
        if ((byte & 0xc0) !== 0x80) length += byte >= 0xf0 ? 2 : 1;
        if (length > longest) longest = length;
      }
      isAfterReturn = byte === RETURN;
    }
    return longest;
  };
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
