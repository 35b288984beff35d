import type { CommandIo } from '../command-io.ts';
import type { GatewayFlags } from '../commands/index.ts';
import { InputError, UnavailableError } from '../input-error.ts';
import { oneLine } from '../terminal/index.ts';

/** A running gateway, as a command sees it. */
export interface GatewayClient {
  readonly url: string;
  /** The JSON of a successful answer. Anything else throws, with the gateway's own message. */
  json(path: string, init?: RequestInit): Promise<unknown>;
  /** A successful answer whose body is read as it arrives. */
  open(path: string, init?: RequestInit): Promise<Response>;
}

export function createGatewayClient(flags: GatewayFlags, env: CommandIo['env']): GatewayClient {
  const url = readUrl(flags.url ?? env.QUARTERMASTER_URL ?? DEFAULT_URL);
  const key = flags.key ?? env.QUARTERMASTER_KEY;
  const headers = key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` };
  const open = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await send(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers } });
    if (!response.ok) throw await failureOf(response, url);
    return response;
  };
  return {
    url,
    open,
    async json(path, init) {
      const text = await readText(await open(path, init), url);
      try {
        return JSON.parse(text);
      } catch {
        throw new UnavailableError(`${url} did not answer with JSON; is it a Quartermaster gateway?`);
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

/** Redirects are not followed: the key is for this address only. */
async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'error', ...init });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new UnavailableError(`No gateway answers at ${new URL(url).origin}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const inner = cause instanceof Error ? cause : error;
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : '';
  return oneLine(code !== '' ? code : String(inner instanceof Error ? inner.message : inner), 200);
}

/** A refusal is the caller's to fix; a server error may pass. */
async function failureOf(response: Response, url: string): Promise<Error> {
  const message = messageIn(await readText(response, url).catch(() => '')) ?? `status ${response.status}`;
  const hint = response.status === 401 ? ' Set QUARTERMASTER_KEY to a key of this gateway.' : '';
  const text = `${url} rejected the request: ${oneLine(message, 500)}.${hint}`.replace('..', '.');
  return response.status >= 500 ? new UnavailableError(text) : new InputError(text);
}

function messageIn(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as { readonly error?: { readonly message?: unknown } };
    return typeof body.error?.message === 'string' ? body.error.message : undefined;
  } catch {
    return undefined;
  }
}

/** As large as the largest file that commands read. */
const MOST_BYTES = 256 * 1024 * 1024;

async function readText(response: Response, url: string): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MOST_BYTES) throw new UnavailableError(`${url} answered with more than 256 MiB`);
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError(`${url} ended its answer early: ${reasonOf(error)}`);
  }
  return text + decoder.decode();
}
