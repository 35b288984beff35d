import { isJsonObject, QuartermasterError } from '@quartermaster/core';
import { loopSettings, type ToolSearchOptions } from '../internal/request-toolbox.ts';
import type { GeminiRequest } from './gemini-shapes-2026-11.ts';
import { createGeminiWire, type GeminiWireOptions } from './gemini-wire.ts';
import { requestPreparer } from './prepare-request.ts';
import { type Ask, respondStream, respondWhole } from './respond.ts';

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
  return async (input, init = {}) => {
    const target = readTarget(input, init);
    if (target === undefined) return send(input, init);
    try {
      const prepared = prepare(target.body, target.model);
      if (prepared.kind === 'pass') return await send(input, init);
      if (prepared.kind === 'render') return await send(input, { ...init, body: JSON.stringify(prepared.request) });
      const ask: Ask = (body, signal) => send(input, { ...init, body: JSON.stringify(body), signal });
      const signal = init.signal ?? undefined;
      const loop = { ...prepared.loop, ...loopSettings(search), ...(signal === undefined ? {} : { signal }) };
      return await (target.isStream ? respondStream(loop, ask) : respondWhole(loop, ask));
    } catch (error) {
      // Thrown, it would look like a broken connection, and the SDK might try again.
      if (error instanceof QuartermasterError) return refuse(error);
      throw error;
    }
  };
}

interface Target {
  readonly model: string;
  readonly isStream: boolean;
  readonly body: GeminiRequest;
}

const METHOD = /\/([^/]+):(generateContent|streamGenerateContent)$/;

/** A request for content, from its address and its body. Anything else is none of our business. */
function readTarget(input: RequestInfo | URL, init: RequestInit): Target | undefined {
  if (input instanceof Request || typeof init.body !== 'string') return undefined;
  const [, model, method] = METHOD.exec(new URL(input).pathname) ?? [];
  if (model === undefined) return undefined;
  const body: unknown = JSON.parse(init.body);
  if (!isJsonObject(body) || !Array.isArray(body.contents)) return undefined;
  return { model, isStream: method === 'streamGenerateContent', body: body as unknown as GeminiRequest };
}

/** As the API itself refuses a request. */
function refuse(error: QuartermasterError): Response {
  const body = { error: { code: 400, message: error.message, status: 'INVALID_ARGUMENT' } };
  return Response.json(body, { status: 400 });
}
