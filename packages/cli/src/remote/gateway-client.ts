import { ApiFailure, type Client, createClient } from '@quartermaster/client';
import type { CommandIo } from '../command-io.ts';
import type { GatewayFlags } from '../commands/index.ts';
import { InputError, UnavailableError } from '../input-error.ts';
import { oneLine } from '../terminal/index.ts';

/** A running gateway, as a command sees it. */
export interface RemoteGateway {
  readonly url: string;
  /** The client's methods; failures are worded for the command line. */
  ask<Answer>(work: (client: Client) => Promise<Answer>): Promise<Answer>;
}

export function openGateway(flags: GatewayFlags, env: CommandIo['env']): RemoteGateway {
  const url = readUrl(flags.url ?? env.QUARTERMASTER_URL ?? DEFAULT_URL);
  const key = flags.key ?? env.QUARTERMASTER_KEY;
  const client = createClient({
    baseUrl: url,
    ...(key === undefined || key === '' ? {} : { apiKey: key }),
    fetch: boundedFetch,
  });
  return {
    url,
    async ask(work) {
      try {
        return await work(client);
      } catch (error) {
        throw failureOf(error, url);
      }
    },
  };
}

const DEFAULT_URL = 'http://127.0.0.1:8787';

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href.replace(/\/+$/, '');
  throw new InputError(`--url takes an http or https address, not ${JSON.stringify(oneLine(text, 200))}`);
}

/** A refusal needs a change by the caller; a server error may be temporary. */
function failureOf(error: unknown, url: string): unknown {
  if (error instanceof SyntaxError) {
    return new UnavailableError(`${url} did not answer with JSON; is it a Quartermaster gateway?`);
  }
  // The client's limit of one event is a RangeError.
  if (error instanceof ReadingError || error instanceof RangeError) {
    return new UnavailableError(`${url} ended its answer early: ${reasonOf(error)}`);
  }
  if (!(error instanceof ApiFailure)) return error;
  const { status, message } = error;
  if (status === 0) {
    const reason = reasonOf(error.cause);
    return new UnavailableError(
      `No gateway responds at ${new URL(url).origin}: ${reason}. Start one with quartermaster serve, or name yours with --url.`,
    );
  }
  const hint = status === 401 ? ' Set QUARTERMASTER_KEY to a key of this gateway.' : '';
  const text = `${url} rejected the request: ${oneLine(message, 500)}.${hint}`.replace('..', '.');
  return status >= 500 ? new UnavailableError(text) : new InputError(text);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const inner = cause instanceof Error ? cause : error;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : '';
  return oneLine(code !== '' ? code : String(inner instanceof Error ? inner.message : inner), 200);
}

/** The size of the largest file that commands read. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Reading an answer failed: it broke off, or is too large. */
class ReadingError extends Error {
  override readonly name = 'ReadingError';
}

/** Answers are limited in size. A stream of events is not, but each event is. */
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const reader = response.body.getReader();
  let left = isEvents ? Number.POSITIVE_INFINITY : MOST_BYTES;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        left -= value.byteLength;
        if (left < 0) throw new RangeError('it has more than 256 MiB');
        controller.enqueue(value);
      } catch (cause) {
        await reader.cancel().catch(() => undefined);
        throw new ReadingError(reasonOf(cause), { cause });
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}
