import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** An MCP server that lets in only those who have signed in at its authorization server, both on one port. */
export interface ProtectedServer {
  readonly url: string;
  /** Every access token that was given out, in order. */
  readonly issued: string[];
  /** The access tokens that calls came with. */
  readonly seen: string[];
  /** Ends every access token; they can be refreshed. */
  expire(): void;
  /** Ends everything that was given out. */
  revoke(): void;
  /** Whether the person says no. */
  isRefusing: boolean;
  /** A scope without which no tool can be called. */
  needed: string | undefined;
}

interface Grant {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
  readonly scope: string;
}

interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const OK = 200;
const BAD_GRANT: Answer = { status: 400, body: { error: 'invalid_grant' } };

/** Checks what a careful one does: registered redirect addresses, PKCE with S256, codes and refresh tokens that are good for once. */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const valid = new Map<string, string>();
  const refreshes = new Map<string, string>();
  const listener = createServer((request, response) => {
    void handle(request).then(({ status, body, headers }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const server: ProtectedServer = {
    url: `${issuer}/mcp`,
    issued: [],
    seen: [],
    isRefusing: false,
    needed: undefined,
    expire: () => valid.clear(),
    revoke() {
      valid.clear();
      refreshes.clear();
    },
  };

  async function handle(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', issuer);
    const body = await text(request);
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return { status: OK, body: { resource: server.url, authorization_servers: [issuer] } };
      case '/.well-known/oauth-authorization-server':
        return { status: OK, body: metadata(issuer) };
      case '/register':
        return register(JSON.parse(body) as { redirect_uris: string[] });
      case '/authorize':
        return authorize(url.searchParams);
      case '/token':
        return exchange(new URLSearchParams(body));
      case '/mcp':
        return request.method === 'POST' ? callTools(request, body) : { status: 405 };
      default:
        return { status: 404 };
    }
  }

  function register(client: { readonly redirect_uris: readonly string[] }): Answer {
    const id = randomUUID();
    clients.set(id, client.redirect_uris);
    return { status: 201, body: { ...client, client_id: id } };
  }

  function authorize(params: URLSearchParams): Answer {
    const client = params.get('client_id') ?? '';
    const redirect = params.get('redirect_uri') ?? '';
    const challenge = params.get('code_challenge') ?? '';
    const isFine = clients.get(client)?.includes(redirect) === true && params.get('code_challenge_method') === 'S256';
    if (!isFine || challenge === '') return { status: 400, body: { error: 'invalid_request' } };
    const back = new URL(redirect);
    back.searchParams.set('state', params.get('state') ?? '');
    if (server.isRefusing) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      codes.set(code, { challenge, redirect, client, scope: params.get('scope') ?? '' });
      back.searchParams.set('code', code);
    }
    return { status: 302, headers: { location: back.href } };
  }

  function exchange(form: URLSearchParams): Answer {
    if (form.get('grant_type') === 'refresh_token') {
      const refresh = form.get('refresh_token') ?? '';
      const scope = refreshes.get(refresh);
      return refreshes.delete(refresh) && scope !== undefined ? giveOut(scope) : BAD_GRANT;
    }
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const verified = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isFine =
      grant?.challenge === verified &&
      grant.redirect === form.get('redirect_uri') &&
      grant.client === form.get('client_id');
    return isFine ? giveOut(grant.scope) : BAD_GRANT;
  }

  function giveOut(scope: string): Answer {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    valid.set(access, scope);
    refreshes.set(refresh, scope);
    server.issued.push(access);
    return {
      status: OK,
      body: { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 },
    };
  }

  function callTools(request: IncomingMessage, body: string): Answer {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!valid.has(token)) {
      const resource = `${issuer}/.well-known/oauth-protected-resource/mcp`;
      return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${resource}"` } };
    }
    const message = JSON.parse(body) as { readonly id?: number; readonly method: string };
    if (message.id === undefined) return { status: 202 };
    const { needed } = server;
    if (message.method === 'tools/call' && needed !== undefined && !valid.get(token)?.split(' ').includes(needed)) {
      return { status: 403, headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed}"` } };
    }
    if (message.method === 'tools/call') server.seen.push(token);
    const result = RESULTS[message.method];
    const error = { code: -32_601, message: 'Method not found' };
    return { status: OK, body: { jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) } };
  }

  return server;
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'tracker', version: '1.0.0' },
  },
  'tools/list': { tools: [{ name: 'list_issues', description: 'Lists issues', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'no issues' }] },
};
