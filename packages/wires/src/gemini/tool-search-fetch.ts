import type { QuartermasterError } from '@quartermaster/core';
import { defined } from '@quartermaster/core/internal';
import { answerRequest, orRefusal } from '../internal/answer-request.ts';
import { loopSettings, type ToolSearchOptions } from '../internal/request-toolbox.ts';
import { readJsonBody, resend } from '../internal/resend.ts';
import { UpstreamRefusal } from '../internal/upstream-refusal.ts';
import type { GeminiRequest } from './gemini-shapes-2026-11.ts';
import { createGeminiWire, type GeminiWireOptions } from './gemini-wire.ts';
import { requestPreparer } from './prepare-request.ts';
import { UpstreamChunkError } from './upstream-chunk-error.ts';
import { geminiWhole } from './whole.ts';

/** Options of `withToolSearch` for Gemini's client. */
export interface GeminiToolSearchOptions extends ToolSearchOptions, GeminiWireOptions {
  /**
   * Tools that can be found though no request declares them: ours, or definitions in any known format. The client gets their
   * calls like any other.
   * @default none
   */
  readonly catalog?: readonly object[];
  /** What requests go out with. @default the platform's own */
  readonly fetch?: typeof fetch;
}

/**
 * A `fetch` with tool search in it, for `new GoogleGenAI({ httpOptions: { fetch } })`. Requests for content are answered by the
 * search loop, all others pass. Below the SDK's methods, so that chats, automatic function calling and MCP tools work as they are.
 */
export function toolSearchFetch(options: GeminiToolSearchOptions = {}): typeof fetch {
  const { showSearches, fetch: send = globalThis.fetch, catalog = [], ...search } = options;
  const wire = createGeminiWire(showSearches === undefined ? {} : { showSearches });
  const prepare = requestPreparer({ wire, catalog, search });
  const settings = loopSettings(search);
  return async (input, init = {}) => {
    const target = readTarget(input, init);
    if (target === undefined) return send(input, init);
    return orRefusal(async () => {
      const planned = prepare(target.body, target.model);
      const ask = resend<GeminiRequest, RequestInit>(init, (resent) => send(input, resent));
      if (planned.kind !== 'loop') return planned.request === target.body ? send(input, init) : ask(planned.request);
      const signal = init.signal ?? undefined;
      const loop = { ...planned, ...settings, ...defined({ signal }) };
      return answerRequest({ dialect: DIALECT, explain, loop, stream: target.isStream, ask });
    }, refuse);
  };
}

const DIALECT = { whole: geminiWhole, endpoint: { writePart: writeChunk, streamEnd: '' } };

async function explain(error: unknown): Promise<string | undefined> {
  if (error instanceof UpstreamChunkError) return writeChunk(error.chunk);
  return error instanceof UpstreamRefusal ? writeChunk(await explainRefusal(error)) : undefined;
}

function writeChunk(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

/** How the API tells of an error once a stream has begun. */
async function explainRefusal(refusal: UpstreamRefusal): Promise<object> {
  const { status: code, statusText: status } = refusal.response;
  return (await refusal.told()) ?? { error: { code, status, message: refusal.message } };
}

interface Target {
  readonly model: string;
  readonly isStream: boolean;
  readonly body: GeminiRequest;
}

const METHOD = /\/([^/]+):(generateContent|streamGenerateContent)$/;

/** A request for content, from its address and its body. Anything else is none of our business. */
function readTarget(input: RequestInfo | URL, init: RequestInit): Target | undefined {
  if (input instanceof Request) return undefined;
  const [, model, method] = METHOD.exec(new URL(input).pathname) ?? [];
  const body = model === undefined ? undefined : readJsonBody(init.body);
  if (model === undefined || !Array.isArray(body?.contents)) return undefined;
  return { model, isStream: method === 'streamGenerateContent', body: body as unknown as GeminiRequest };
}

/** As the API itself refuses a request. */
function refuse(error: QuartermasterError): Response {
  const body = { error: { code: 400, message: error.message, status: 'INVALID_ARGUMENT' } };
  return Response.json(body, { status: 400 });
}
