import type { QuartermasterError } from '@quartermaster/core';
import { NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { UpstreamRefusal } from '../internal/answer-request.ts';
import { type CatalogOptions, type PlannedRequest, requestPlanner } from '../internal/request-planner.ts';
import type { ToolSearchOptions } from '../internal/request-toolbox.ts';
import { readJsonBody } from '../internal/resend.ts';
import { searchFetch } from '../internal/search-fetch.ts';
import type { GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';
import { createGeminiWire, type GeminiWireOptions } from './gemini-wire.ts';
import { declarationsIn, toolEntries } from './open.ts';
import { UpstreamChunkError } from './reader.ts';
import { geminiWhole } from './whole.ts';

/** Options of `withToolSearch` for Gemini's client. */
export interface GeminiToolSearchOptions extends ToolSearchOptions, CatalogOptions, GeminiWireOptions {
  /** The `fetch` for requests. @default the platform's own */
  readonly fetch?: typeof fetch;
}

/**
 * A `fetch` with tool search, for `new GoogleGenAI({ httpOptions: { fetch } })`. Requests for content are answered by the
 * search loop, all others pass. Works below the SDK's methods, so chats, automatic function calling and MCP tools work as they are.
 */
export function toolSearchFetch(options: GeminiToolSearchOptions = {}): typeof fetch {
  const { showSearches, fetch: send = globalThis.fetch, ...rest } = options;
  const wire = createGeminiWire(defined({ showSearches }));
  const plan = requestPlanner(rest, {
    ...{ name: 'gemini', maxNameLength: MAX_NAME_LENGTH, nameTemplate: NAME_TEMPLATES.proxy },
    ownOptions: { catalog: true, showSearches: true, fetch: true },
  });
  const planFor = (request: GeminiRequest, model: string): PlannedRequest<GeminiRequest, GeminiResponse> => {
    // The tools of a cached prefix can't be changed.
    if (request.cachedContent !== undefined) return { planned: { kind: 'pass', request } };
    const opened = wire.open(request);
    return plan({
      ...{ wire, request, opened, model, key: declarationsIn(request) },
      tools: () => opened.tools,
      declare(shown) {
        const functionDeclarations = shown.map(({ tool, name }) => writeTool(tool, 'gemini', { name }));
        return { ...request, tools: [...toolEntries(request), { functionDeclarations }] };
      },
    });
  };
  const adapter = {
    ...{ wire, dialect: DIALECT, explain, refuse },
    /** Recognizes a request for content by its address and its body. */
    read({ pathname }: URL, init: RequestInit) {
      const [, model, method] = METHOD.exec(pathname) ?? [];
      const body = model === undefined ? undefined : readJsonBody(init.body);
      if (model === undefined || !Array.isArray(body?.contents)) return undefined;
      return {
        request: body as unknown as GeminiRequest,
        stream: method === 'streamGenerateContent',
        plan: (request: GeminiRequest) => planFor(request, model),
      };
    },
  };
  return searchFetch<GeminiRequest, GeminiResponse, GeminiResponse>(adapter, rest, send);
}

const METHOD = /\/([^/]+):(generateContent|streamGenerateContent)$/;

/** The longest function name that every version of the API accepts. */
const MAX_NAME_LENGTH = 64;

const DIALECT = { whole: geminiWhole, endpoint: { writePart: writeChunk, streamEnd: '' } };

/** How the API reports an error once a stream has begun. */
async function explain(error: unknown): Promise<string | undefined> {
  if (error instanceof UpstreamChunkError) return writeChunk(error.chunk);
  if (!(error instanceof UpstreamRefusal)) return undefined;
  const { status: code, statusText: status } = error.response;
  return writeChunk((await error.told()) ?? { error: { code, status, message: error.message } });
}

function writeChunk(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

/** As the API itself rejects a request. */
function refuse(error: QuartermasterError): Response {
  const body = { error: { code: 400, message: error.message, status: 'INVALID_ARGUMENT' } };
  return Response.json(body, { status: 400 });
}
