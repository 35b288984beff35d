import type { Plan, QuartermasterError, Tool } from '@quartermaster/core';
import { type JsonObject, NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import { readDefinitions } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import { type Planned, planRequest, type Wire } from '@quartermaster/core/loop';
import { answerRequest, orRefusal, UpstreamRefusal } from '../internal/answer-request.ts';
import { loopSettings, requestToolboxes, type ToolSearchOptions } from '../internal/request-toolbox.ts';
import { readJsonBody, resend } from '../internal/resend.ts';
import type { GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';
import { createGeminiWire, type GeminiWireOptions } from './gemini-wire.ts';
import { declarationsIn, toolEntries } from './open.ts';
import { UpstreamChunkError } from './reader.ts';
import { geminiWhole } from './whole.ts';

/** Options of `withToolSearch` for Gemini's client. */
export interface GeminiToolSearchOptions extends ToolSearchOptions, GeminiWireOptions {
  /**
   * Tools that can be found although no request declares them: ours, or definitions in any known format. The client gets their
   * calls like any other.
   * @default none
   */
  readonly catalog?: readonly object[];
  /** The `fetch` for requests. @default the platform's own */
  readonly fetch?: typeof fetch;
}

/**
 * A `fetch` with tool search, for `new GoogleGenAI({ httpOptions: { fetch } })`. Requests for content are answered by the
 * search loop, all others pass. Works below the SDK's methods, so chats, automatic function calling and MCP tools work as they are.
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

/** How the API reports an error once a stream has begun. */
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

/** Recognizes a request for content by its address and its body. */
function readTarget(input: RequestInfo | URL, init: RequestInit): Target | undefined {
  if (input instanceof Request) return undefined;
  const [, model, method] = METHOD.exec(new URL(input).pathname) ?? [];
  const body = model === undefined ? undefined : readJsonBody(init.body);
  if (model === undefined || !Array.isArray(body?.contents)) return undefined;
  return { model, isStream: method === 'streamGenerateContent', body: body as unknown as GeminiRequest };
}

/** As the API itself rejects a request. */
function refuse(error: QuartermasterError): Response {
  const body = { error: { code: 400, message: error.message, status: 'INVALID_ARGUMENT' } };
  return Response.json(body, { status: 400 });
}

interface PreparerOptions {
  readonly wire: Wire<GeminiRequest, GeminiResponse>;
  readonly catalog: readonly object[];
  readonly search: ToolSearchOptions;
}

/** The longest function name that every version of the API accepts. */
const MAX_NAME_LENGTH = 64;

/** Decides for each request, from what it declares and the catalog. */
export function requestPreparer(
  options: PreparerOptions,
): (request: GeminiRequest, model: string) => Planned<GeminiRequest, GeminiResponse> {
  const { wire, search } = options;
  const catalog = readDefinitions(options.catalog);
  const limits = {
    name: 'gemini',
    maxNameLength: MAX_NAME_LENGTH,
    nameTemplate: NAME_TEMPLATES.proxy,
    ownOptions: { catalog: true, showSearches: true, fetch: true },
  } as const;
  const toolboxes = requestToolboxes(search, limits);
  return (request, model) => {
    // The tools of a cached prefix can't be changed.
    if (request.cachedContent !== undefined) return { kind: 'pass', request };
    const opened = wire.open(request);
    const declared = opened.tools;
    // A catalog tool with the name of a declared one is the client's own.
    const ids = new Set(declared.map((tool) => tool.id));
    const added = catalog.filter((tool) => !ids.has(tool.id));
    const toolbox = toolboxes.toolbox([...declared, ...added], JSON.stringify(declarationsIn(request)));
    return planRequest<GeminiRequest, GeminiResponse>({
      ...{ wire, request, opened, toolbox, ...toolboxes.settings(model) },
      whole: (plan) => (plan === undefined ? request : withDeclarations(request, plan, new Set(added))),
    });
  };
}

/** Catalog tools are in no request, so they must be declared if nothing is deferred: the model could not reach them otherwise. */
function withDeclarations(request: GeminiRequest, plan: Plan, added: ReadonlySet<Tool>): GeminiRequest {
  const functionDeclarations = plan.shown
    .filter(({ tool }) => added.has(tool))
    .map(({ tool, name }): JsonObject => writeTool(tool, 'gemini', { name }));
  if (functionDeclarations.length === 0) return request;
  return { ...request, tools: [...toolEntries(request), { functionDeclarations }] };
}
