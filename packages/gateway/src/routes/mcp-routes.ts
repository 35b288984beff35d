import { isJsonObject } from '@quartermaster/core/catalog';
import type { Access as McpAccess, Permissions } from '@quartermaster/mcp';
import type { Context } from 'hono';
import { isOwnOrigin, searchAdmission } from '../access/index.ts';
import type { Api } from '../api/index.ts';
import type { Schema } from '../api/schema.ts';
import { ApiError, isEventStream, type RequestContext, readBytes } from '../http/index.ts';
import { permissionsOf } from '../mcp/index.ts';
import { signInAddress, signInPage } from '../sign-in/index.ts';
import type { OnEnd } from './model-routes.ts';
import type { Services } from './services.ts';
import { untilDenied } from './until-denied.ts';

/** The configured MCP servers as one, over Streamable HTTP. */
export function mountMcpRoutes(api: Api, services: Services): void {
  const { runner, settings, mcp, activity, gatekeeper, clock } = services;
  if (mcp === undefined) return;
  const { hub, proxy, origins, within, pinsFor, requestBytes } = mcp;
  const servers = hub.servers().map(({ name }) => name);

  async function answer(requestContext: RequestContext, onEnd: OnEnd): Promise<Response> {
    const { request, requestId, access, signal } = requestContext;
    checkOrigin(request, origins);
    const bytes = await readBytes(requestContext, Math.min(settings.maxBodyBytes, requestBytes));
    const { owner } = access;
    const address = signInAddress(request, settings.publicUrl);
    const pins = await pinsFor(owner);
    const permissions = permissionsOf(access, servers);
    const theirs: McpAccess = {
      ...(owner === '' ? {} : { id: owner, user: owner }),
      permissions,
      ...(pins.length === 0 ? {} : { pins }),
      ...searchAdmission(access),
      admitBatch: (more) => gatekeeper.take(access, 'no-model', more),
      ...(address === undefined ? {} : { signInPage: (server) => signInPage(address, server) }),
    };
    activity.begin(requestContext);
    const response = await within(requestId, () => proxy.fetch(withBody(request, bytes, signal), theirs));
    if (!isEventStream(response) || response.body === null) return response;
    // A stream that only listens never ends by itself: the gateway does not wait for it when it stops.
    if (request.method === 'GET' || isListening(bytes)) {
      onEnd();
      const body = untilDenied(response.body, { after: clock.after, mayGoOn: () => hasRights(owner, permissions) });
      return new Response(body, { status: response.status, headers: response.headers });
    }
    return endingWith(response, onEnd);
  }

  /** A key whose permissions have changed listens again with the new ones. */
  async function hasRights(owner: string, before: Permissions): Promise<boolean> {
    const access = await gatekeeper.admitOwner(owner);
    if (access?.mayUseEndpoint('mcp') !== true) return false;
    return JSON.stringify(permissionsOf(access, servers)) === JSON.stringify(before);
  }

  const receive = (context: Context): Promise<Response> =>
    runner.run(context.req.raw, { route: 'mcp', errorBody: rpcErrorBody, handler: answer });
  const endpoint = 'mcp';
  const summary = 'All configured MCP servers as one server, over Streamable HTTP.';
  const listening = { answer: { type: 'string' }, answerType: 'text/event-stream' };
  api.post('/mcp', { endpoint, summary, body: JSON_RPC, answer: JSON_RPC }, receive);
  api.get('/mcp', { endpoint, summary: 'Opens a stream of messages from the MCP servers.', ...listening }, receive);
  api.delete('/mcp', { endpoint, summary: 'Ends an MCP session.' }, receive);
  // The transport rejects every other method in the protocol's format.
  api.app.all('/mcp', receive);
}

/**
 * Rejects requests from other sites' pages in a visitor's browser, as the protocol requires of servers.
 * Programs send no `Origin`. Pages at this gateway's own address, on this machine, and those in the settings are allowed.
 */
function checkOrigin(request: Request, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  if (origin === null || allowed.some((address) => new URL(address).origin === origin) || isOwnOrigin(request)) return;
  throw new ApiError(403, `Requests from pages of ${origin.slice(0, 200)} are not served; allow it in mcp.origins`);
}

/** As defined by the protocol. */
const JSON_RPC: Schema = { type: 'object' };

const LISTEN = 'subscriptions/listen';

/** Whether this message asks for a stream that only listens. A call may have the same words in its arguments. */
function isListening(bytes: Buffer): boolean {
  if (!bytes.includes(LISTEN)) return false;
  // It was answered, and so it is JSON within its limits.
  const message: unknown = JSON.parse(bytes.toString('utf8'));
  return isJsonObject(message) && message.method === LISTEN;
}

/** The same request with its body read, within limits and decompressed. */
function withBody(request: Request, bytes: Buffer, signal: AbortSignal): Request {
  const headers = new Headers(request.headers);
  headers.delete('content-encoding');
  headers.delete('content-length');
  const { method, url } = request;
  return new Request(url, { method, headers, signal, ...(bytes.length === 0 ? {} : { body: new Uint8Array(bytes) }) });
}

/** The same response; reports its end, however it ends. */
function endingWith(response: Response, onEnd: OnEnd): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const done = (): void => onEnd();
  response.body?.pipeTo(writable).then(done, done);
  return new Response(readable, { status: response.status, headers: response.headers });
}

/** MCP clients expect errors in JSON-RPC's format. */
function rpcErrorBody(error: ApiError): object {
  return { jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message: error.message } };
}

const SERVER_ERROR = -32_000;
