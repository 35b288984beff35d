import { randomUUID } from 'node:crypto';
import { modernHandler } from './modern-handler.fixture.ts';

export const PROTECTED_URL = 'https://tools.test/mcp';
const ISSUER = 'https://login.test';

export interface ProtectedNetworkOptions {
  /** What each tool needs; one that is not named needs nothing. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** What is granted, whatever was asked for. @default what was asked for */
  readonly grant?: (asked: string) => string;
  /** Clients that are registered already, with their secrets. Then no other is registered. */
  readonly clients?: Readonly<Record<string, string>>;
  /** Whether a client may be the address of its description. */
  readonly readsDocuments?: boolean;
}

export interface ProtectedNetwork {
  readonly fetch: typeof globalThis.fetch;
  /** Does what a person does in the browser. */
  signIn(authorizationUrl: string): URLSearchParams;
  /** Ends every access token. */
  expire(): void;
  /** What the authorization server was asked for, in order. */
  readonly asked: readonly string[];
  /** How often a refresh token came that had been used before: a careful server then ends everything. */
  readonly reuses: number;
  /** Answers each request for a token with this status, where it is set. */
  failure: number | undefined;
}

interface Grant {
  readonly client: string;
  readonly scope: string;
}

/** A server whose tools need scopes, and an authorization server that rotates refresh tokens and notices when one is used twice. */
export function protectedNetwork(options: ProtectedNetworkOptions = {}): ProtectedNetwork {
  const { scopes = {}, grant = (asked) => asked, clients = {}, readsDocuments = false } = options;
  const { handler } = modernHandler(() => ['read', 'write', 'erase']);
  const registered = new Map<string, string | undefined>(Object.entries(clients));
  const codes = new Map<string, Grant>();
  const accesses = new Map<string, Grant>();
  const refreshes = new Map<string, Grant>();
  const used = new Set<string>();
  const asked: string[] = [];
  const network = { reuses: 0, failure: undefined as number | undefined };

  const giveOut = (given: Grant): Response => {
    const [access, refresh] = [randomUUID(), randomUUID()];
    accesses.set(access, given);
    refreshes.set(refresh, given);
    const tokens = { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 };
    return Response.json({ ...tokens, ...(given.scope === '' ? {} : { scope: given.scope }) });
  };
  const refuse = (error: string): Response => Response.json({ error }, { status: 400 });
  const isClient = (request: Request, form: URLSearchParams): string | undefined => {
    const basic = /^Basic (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    const [id = '', secret] = basic === undefined ? [form.get('client_id') ?? ''] : atob(basic).split(':');
    if (readsDocuments && id.startsWith('https://')) return id;
    return registered.has(id) && registered.get(id) === secret ? id : undefined;
  };
  const token = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    const kind = form.get('grant_type') ?? '';
    asked.push(kind);
    if (network.failure !== undefined) return new Response('Away', { status: network.failure });
    const client = isClient(request, form);
    if (client === undefined) return refuse('invalid_client');
    const value = form.get(kind === 'refresh_token' ? 'refresh_token' : 'code') ?? '';
    if (used.has(value)) {
      network.reuses += 1;
      accesses.clear();
      refreshes.clear();
    }
    used.add(value);
    const from = kind === 'refresh_token' ? refreshes : codes;
    const given = from.get(value);
    from.delete(value);
    return given?.client === client ? giveOut(given) : refuse('invalid_grant');
  };
  const serve = async (request: Request): Promise<Response> => {
    const given = accesses.get(request.headers.get('authorization')?.slice('Bearer '.length) ?? '');
    if (given === undefined) return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    const { method, params } = (await request.clone().json()) as { method?: string; params?: { name?: string } };
    const needed = method === 'tools/call' ? scopes[params?.name ?? ''] : undefined;
    if (needed === undefined || given.scope.split(' ').includes(needed)) return handler.fetch(request);
    const challenge = `Bearer error="insufficient_scope", scope="${needed}"`;
    return new Response(null, { status: 403, headers: { 'www-authenticate': challenge } });
  };
  const metadata = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    ...(options.clients === undefined ? { registration_endpoint: `${ISSUER}/register` } : {}),
    ...(readsDocuments ? { client_id_metadata_document_supported: true } : {}),
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  };
  const answers: Record<string, (request: Request) => Response | Promise<Response>> = {
    'https://tools.test/.well-known/oauth-protected-resource/mcp': () =>
      Response.json({ resource: PROTECTED_URL, authorization_servers: [ISSUER] }),
    [`${ISSUER}/.well-known/oauth-authorization-server`]: () => Response.json(metadata),
    [`${ISSUER}/register`]: async (request) => {
      asked.push('register');
      const id = randomUUID();
      registered.set(id, undefined);
      return Response.json({ ...((await request.json()) as object), client_id: id }, { status: 201 });
    },
    [`${ISSUER}/token`]: token,
    [PROTECTED_URL]: serve,
  };
  return Object.assign(network, {
    asked,
    fetch: async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      return (await answers[request.url]?.(request)) ?? new Response('Not found', { status: 404 });
    },
    expire: () => accesses.clear(),
    signIn(authorizationUrl: string) {
      const { searchParams } = new URL(authorizationUrl);
      const code = randomUUID();
      const scope = grant(searchParams.get('scope') ?? '');
      codes.set(code, { client: searchParams.get('client_id') ?? '', scope });
      return new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
    },
  });
}
