import { randomUUID } from 'node:crypto';
import type { Access, Gatekeeper, UsedUp } from '../access/index.ts';
import type { Activity, RequestEnd, RequestRecord } from '../events/index.ts';
import type { LogEntry, Logger } from '../logger.ts';
import type { Tracing } from '../tracing/index.ts';
import { ApiError, toApiError } from './api-error.ts';
import { faultOf, originOf } from './fault-of.ts';
import type { MemoryShare, RequestMemory } from './read-bytes.ts';

/** Answers a request. A handler that takes `onEnd` calls it when its response has ended; for any other, the answer is the end. */
type Handler = (requestContext: RequestContext, onEnd: (error?: ApiError) => void) => Promise<Response>;

/** An error as the clients of a route expect it. */
export type ErrorBody = (error: ApiError, requestId: string, request: Request) => object;

export interface Route {
  /** For metrics and logs. */
  readonly route: string;
  readonly handler: Handler;
  readonly errorBody: ErrorBody;
  /** Whether it counts against the key's request limit. @default true */
  readonly isLimited?: boolean;
  /** Whether it calls a model, and so needs tokens. @default false */
  readonly usesModel?: boolean;
}

/** What every request passes: its id, its key, its limits, its error, its log line. */
export interface RequestRunner {
  run(request: Request, route: Route): Promise<Response>;
  /** Requests in progress, including streams. */
  readonly active: number;
  /** Accepts no more requests, and waits for those in progress. */
  close(): Promise<void>;
}

export function createRequestRunner(options: {
  readonly gatekeeper: Gatekeeper;
  readonly memory: RequestMemory;
  /** @default nothing is logged */
  readonly logger?: Logger | undefined;
  readonly activity: Activity;
  /** @default nothing is traced */
  readonly tracing?: Tracing | undefined;
  readonly now: () => number;
  readonly createId: (prefix: string) => string;
}): RequestRunner {
  const { gatekeeper, memory, logger, activity, tracing, now, createId } = options;
  let active = 0;
  let isClosed = false;
  let onIdle: (() => void) | undefined;

  function leave(): void {
    active -= 1;
    if (active === 0) onIdle?.();
  }

  return {
    get active() {
      return active;
    },
    async run(request, { route, handler, errorBody, isLimited = true, usesModel = false }) {
      const requestId = createId('req_');
      const startedAt = now();
      active += 1;
      if (route !== 'metrics')
        tracing?.beginRequest({ requestId, route, method: request.method, url: request.url, headers: request.headers });
      let requestContext: RequestContext | undefined;
      let status = 200;
      let isOver = false;
      const end = (error?: ApiError): void => {
        if (isOver) return;
        isOver = true;
        requestContext?.memory.end();
        const durationMs = now() - startedAt;
        const outcome = { id: requestId, atMs: startedAt, route, status, durationMs, error: error?.type };
        const ended = endOf(outcome, requestContext);
        activity.end(ended, logger && lineWriter(logger, ended, lineFacts(status, error, requestContext)));
        // Its log line does not wait with the others.
        if (error !== undefined) activity.settle();
        chargeUse(options, { requestId, access: requestContext?.access, used: ended.used }).then(leave, leave);
      };
      try {
        if (isClosed) throw new ApiError(503, 'The gateway is stopping', { type: 'overloaded_error' });
        const access = await gatekeeper.admit(request);
        requestContext = {
          ...{ requestId, request, access, signal: request.signal, facts: { route }, atMs: startedAt },
          memory: memory.open(access.owner),
        };
        if (route !== UNKNOWN_ROUTE && !access.mayUseEndpoint(route)) {
          throw new ApiError(403, `This key may not use the endpoint ${route}`);
        }
        if (isLimited) await gatekeeper.take(access, usesModel ? 'model' : 'no-model');
        const response = await handler(requestContext, end);
        status = response.status;
        if (!isEventStream(response)) end();
        nameResponse(response.headers, requestId);
        return response;
      } catch (thrown) {
        // The client is gone, but the log should not show that as a fault.
        const error = request.signal.aborted
          ? new ApiError(CLIENT_GONE, 'The client disconnected')
          : toApiError(thrown);
        status = error.status;
        end(error);
        const headers = new Headers(error.headers);
        nameResponse(headers, requestId);
        return Response.json(errorBody(error, requestId, request), { status, headers });
      }
    },
    async close() {
      isClosed = true;
      if (active === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    },
  };
}

/** Counts what a response has used against its key's limits. The response must not fail because that can't be recorded. */
export async function chargeUse(
  { gatekeeper, logger }: { readonly gatekeeper: Gatekeeper; readonly logger?: Logger | undefined },
  response: { readonly requestId: string; readonly access: Access | undefined; readonly used: UsedUp | undefined },
): Promise<void> {
  const { requestId, access, used } = response;
  if (access === undefined || used === undefined) return;
  try {
    await gatekeeper.charge(access, used.inputTokens + used.outputTokens);
  } catch (error) {
    logger?.log({ level: 'error', event: 'work-fail', requestId, work: 'rate-limit', ...originOf(error) });
  }
}

/** A response that failed before it reported anything. */
const NOTHING: UsedUp = { inputTokens: 0, outputTokens: 0, searches: 0, tools: [] };

/** The name of an unknown path in logs; every key may learn that it is unknown. */
const UNKNOWN_ROUTE = 'unknown';

/** The status that proxies log for a client that did not wait. */
const CLIENT_GONE = 499;

export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

function endOf(
  outcome: Pick<RequestEnd, 'id' | 'atMs' | 'route' | 'status' | 'durationMs' | 'error'>,
  requestContext: RequestContext | undefined,
): RequestEnd {
  const { model, upstream, called = [], used = NOTHING } = requestContext?.facts ?? {};
  const { owner = '', name: key } = requestContext?.access ?? {};
  return { ...outcome, owner, key, model, upstream, called, used: model === undefined ? undefined : used };
}

/** Anthropic's clients read the first, OpenAI's the second. */
function nameResponse(headers: Headers, requestId: string): void {
  headers.set('request-id', requestId);
  headers.set('x-request-id', requestId);
}

/** What a log line needs of a request besides its end. */
type LineFacts = ReturnType<typeof lineFacts>;

function lineFacts(status: number, error: ApiError | undefined, requestContext: RequestContext | undefined) {
  // Helps to find a client's mistake; for any other request the route says where it went.
  const path =
    status === 404 && requestContext !== undefined ? new URL(requestContext.request.url).pathname : undefined;
  const { used, searches } = requestContext?.facts ?? {};
  return { error, path, owner: requestContext?.access.owner, used, asked: searches ?? 0 };
}

/** Logs the end of a request once its record is there. Until then it holds nothing of the request but these facts. */
function lineWriter(logger: Logger, ended: RequestEnd, facts: LineFacts): (record: RequestRecord | undefined) => void {
  return (record) => logger.log(lineOf(ended, facts, record));
}

/** Facts only. Undefined values are left out. */
function lineOf(ended: RequestEnd, facts: LineFacts, record: RequestRecord | undefined): LogEntry {
  const { error, path, owner, used, asked } = facts;
  const fault = faultOf(error);
  const isDeferred = record?.decision === 'defer';
  const searches = record?.searches.length ?? asked;
  return {
    level: fault.error !== undefined ? 'error' : error === undefined ? 'info' : 'warn',
    event: error === undefined ? 'request-end' : 'request-fail',
    requestId: ended.id,
    route: ended.route,
    status: ended.status,
    durationMs: ended.durationMs,
    path,
    owner,
    model: ended.model,
    upstream: ended.upstream,
    inputTokens: used?.inputTokens,
    outputTokens: used?.outputTokens,
    decision: record?.decision,
    rounds: isDeferred ? record.rounds : undefined,
    searches: isDeferred || searches > 0 ? searches : undefined,
    tokensKeptOut: record?.tokens?.keptOut,
    tokensAdded: record?.tokens?.added,
    tokensNet: record?.tokens?.net,
    errorType: error?.type,
    ...fault,
  };
}

/** One request in progress. */
export interface RequestContext {
  readonly requestId: string;
  /** When it came in. */
  readonly atMs: number;
  readonly request: Request;
  readonly access: Access;
  /** For its body, until it is over. */
  readonly memory: MemoryShare;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** For metrics and logs. */
  readonly facts: RequestFacts;
}

export interface RequestFacts {
  route: string;
  model?: string;
  upstream?: string;
  used?: UsedUp;
  /** The names of the tools that the response calls. */
  called?: readonly string[];
  /** How many searches a request made that asked for them itself. */
  searches?: number;
  /** When the client was last sent a part of the model's answer. */
  sentAtMs?: number;
}

/**
 * The client's headers for an upstream to choose from: all of them, except the credential if it is a key of this
 * gateway.
 */
export function clientHeaders({ access, request }: RequestContext): Headers {
  if (access.owner === '') return request.headers;
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  headers.delete('x-api-key');
  return headers;
}

/** Gives every response an id, including those that no runner made. */
export function withRequestId(
  fetch: (request: Request) => Response | Promise<Response>,
  createId: (prefix: string) => string,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await fetch(request);
    if (!response.headers.has('request-id')) response.headers.set('request-id', createId('req_'));
    return response;
  };
}

export function randomId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
