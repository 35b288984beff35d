import { defined } from '@quartermaster/core/internal';
import { limitHeadersIn } from '@quartermaster/host/upstream';
import { type Access, countsTokens } from '../access/index.ts';
import { type Api, type JsonHandler, jsonRoutes } from '../api/index.ts';
import { type PassTo, upstreamOf } from '../configured-upstreams.ts';
import {
  ApiError,
  clientHeaders,
  type RequestContext,
  readBytes,
  readFormField,
  sharedErrorBody,
} from '../http/index.ts';
import { meterPassed } from './meter-passed.ts';
import type { Services } from './services.ts';

/** Endpoints of hosts that tool search does not concern: requests are forwarded unchanged. */
export function mountPassedRoutes(api: Api, { runner, settings, upstreams, bulk }: Services): void {
  const routes = jsonRoutes(api, runner, 'host', sharedErrorBody);
  const passTo =
    (find: (request: PassedContext) => Promise<PassTo>): JsonHandler =>
    async (requestContext) => {
      const { request, signal, facts, onEnd } = requestContext;
      const { method, url } = request;
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const body = hasBody ? new Uint8Array(await readBytes(requestContext, settings.maxBodyBytes)) : undefined;
      const { pathname, search } = new URL(url);
      const pass = await find({ requestContext, pathname, body });
      const contentType = request.headers.get('content-type') ?? undefined;
      // The files in a form are not text, and what is only counted is not used.
      const isText = contentType?.startsWith('multipart/') !== true && pathname !== COUNT_TOKENS;
      const textLength = isText ? (body?.length ?? 0) : 0;
      const meter = meterPassed({ facts, signal, onEnd, bodyLength: textLength });
      const answer = await meter.during(() =>
        pass(
          { method, path: `${pathname}${search}`, ...defined({ body, contentType }) },
          { headers: clientHeaders(requestContext), signal },
        ),
      );
      return meter.answer(answer, keptHeaders(answer.headers));
    };

  const byModel = async ({ requestContext, pathname, body }: PassedContext): Promise<PassTo> => {
    const { access, facts, request } = requestContext;
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body.buffer, body.byteOffset, body.length);
    const contentType = request.headers.get('content-type') ?? '';
    const model = /^\s*multipart\//i.test(contentType)
      ? readFormField(bytes, contentType, 'model')
      : await bulk.readModel({ bytes, owner: access.owner });
    const upstream = await upstreamOf(upstreams, model, access);
    facts.model = model;
    facts.upstream = upstream.name;
    if (upstream.pass !== undefined) return upstream.pass;
    throw new ApiError(
      404,
      `The host of this model (${upstream.name}) has no ${pathname} that requests can be passed on to`,
    );
  };
  const toFilesOf = (api: 'anthropic' | 'openai'): PassTo => {
    const pass = upstreams.files?.(api);
    if (pass !== undefined) return pass;
    throw new ApiError(
      404,
      "No upstream lets clients use its files, vector stores and jobs. All clients of a host's key share them: set files: true for the upstream to allow that",
    );
  };
  const toFiles = async ({ requestContext }: PassedContext): Promise<PassTo> =>
    toFilesOf(requestContext.request.headers.has('anthropic-version') ? 'anthropic' : 'openai');
  const toOpenai = async ({ requestContext, pathname }: PassedContext): Promise<PassTo> => {
    if (/%(?:2e|2f|5c)/i.test(pathname)) throw new ApiError(400, 'Ids in the path can have no encoded dots or slashes');
    if (JOBS.test(pathname) && requestContext.request.method === 'POST') checkUnlimited(requestContext.access);
    return toFilesOf('openai');
  };

  for (const path of BY_MODEL) routes.post(path, PASSED_ON, passTo(byModel), { usesModel: true });
  for (const [method, path] of FILES) routes[method](path, PASSED_ON, passTo(toFiles));
  for (const path of OPENAI_ONLY) {
    for (const method of ['get', 'post'] as const) routes[method](path, PASSED_ON, passTo(toOpenai));
    for (const method of ['get', 'post', 'delete'] as const) {
      routes[method](`${path}/:rest{.+}`, PASSED_ON, passTo(toOpenai));
    }
  }
}

interface PassedContext {
  readonly requestContext: RequestContext;
  readonly pathname: string;
  readonly body: Uint8Array | undefined;
}

/** Bodies and answers are those of the hosts' own APIs. */
const PASSED_ON = { summary: 'Passed through to the upstream, without tool search.', answer: { type: 'object' } };

const COUNT_TOKENS = '/v1/responses/input_tokens';

/** Their bodies are JSON, or forms with files, and name a model. */
const BY_MODEL = [
  COUNT_TOKENS,
  '/v1/responses/compact',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/completions',
  '/v1/rerank',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/images/variations',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
] as const;

const FILES = [
  ['post', '/v1/files'],
  ['get', '/v1/files'],
  ['get', '/v1/files/:id'],
  ['delete', '/v1/files/:id'],
  ['get', '/v1/files/:id/content'],
] as const;

/** What only OpenAI's API has; a key's clients share it like its files. */
const OPENAI_ONLY = ['/v1/uploads', '/v1/vector_stores', '/v1/batches', '/v1/fine_tuning'] as const;

const JOBS = /^\/v1\/(?:batches|fine_tuning)\b/;

/** A job names its models in a file, and the host reports its tokens hours later: no limit of a key could be enforced. */
function checkUnlimited({ mayUseModel, limits }: Access): void {
  if (mayUseModel('*') && !countsTokens(limits)) return;
  throw new ApiError(
    403,
    "The host's own jobs can't be held to a key's models and token limits. Use /v1/messages/batches, or a key without such limits",
  );
}

/** Headers that describe the body and the host's limits. */
function keptHeaders(headers: Headers): Headers {
  const kept = new Headers(limitHeadersIn(headers));
  for (const name of ['content-type', 'content-disposition']) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}
