import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { McpError } from '../errors.ts';
import { createHub, type Hub, type HubOptions } from '../hub/index.ts';
import { type Access, createProxy } from '../proxy/index.ts';
import { createMemoryTokenStore, type TokenOwner, type TokenStore } from '../store/index.ts';
import { connectClient, createClient, textOf } from '../testing/clients.fixture.ts';
import { manualClock } from '../testing/manual-clock.fixture.ts';
import { modernHandler } from '../testing/modern-handler.fixture.ts';
import { until } from '../testing/until.fixture.ts';
import { createOAuthClient } from './oauth-client.ts';

const SERVER = 'https://tools.test/mcp';
const ISSUER = 'https://login.test';
const hubs: Hub[] = [];

afterEach(async () => {
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
});

/** A protected server and its authorization server, as one network. Every access token belongs to one user. */
function protectedServer(): {
  fetch: typeof globalThis.fetch;
  signIn(url: string, user: string): URLSearchParams;
  /** Ends every access token, and what refreshes them. */
  forgetTokens(which?: { readonly refreshes: boolean }): void;
  seen: string[];
} {
  const { handler } = modernHandler(() => ['one']);
  const codes = new Map<string, string>();
  const users = new Map<string, string>();
  const seen: string[] = [];
  let canRefresh = true;
  const token = (user: string): Response => {
    const access = randomUUID();
    users.set(access, user);
    return Response.json({
      access_token: access,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: `refresh-${user}`,
    });
  };
  const answers: Record<string, (request: Request) => Response | Promise<Response>> = {
    'https://tools.test/.well-known/oauth-protected-resource/mcp': () =>
      Response.json({ resource: SERVER, authorization_servers: [ISSUER] }),
    [`${ISSUER}/.well-known/oauth-authorization-server`]: () =>
      Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        registration_endpoint: `${ISSUER}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      }),
    [`${ISSUER}/register`]: async (request) =>
      Response.json({ ...((await request.json()) as object), client_id: randomUUID() }, { status: 201 }),
    [`${ISSUER}/token`]: async (request) => {
      const form = new URLSearchParams(await request.text());
      const refresh = canRefresh ? form.get('refresh_token') : null;
      const user = codes.get(form.get('code') ?? '') ?? refresh?.slice('refresh-'.length);
      return user === undefined || (form.has('code') && !form.get('code_verifier'))
        ? Response.json({ error: 'invalid_grant' }, { status: 400 })
        : token(user);
    },
    [SERVER]: (request) => {
      const user = users.get(request.headers.get('authorization')?.slice('Bearer '.length) ?? '');
      if (user === undefined) return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
      seen.push(user);
      return handler.fetch(request);
    },
  };
  return {
    seen,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      return (await answers[request.url]?.(request)) ?? new Response('Not found', { status: 404 });
    },
    forgetTokens({ refreshes } = { refreshes: false }) {
      users.clear();
      canRefresh = !refreshes;
    },
    signIn(url, user) {
      const { searchParams } = new URL(url);
      const code = randomUUID();
      codes.set(code, user);
      return new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
    },
  };
}

function makeHub(fetch: typeof globalThis.fetch, tokens: TokenStore, more: Partial<HubOptions> = {}): Hub {
  const oauth = createOAuthClient({ tokens, redirectUrl: 'http://localhost:8080/callback', fetch });
  const hub = createHub({ servers: { tools: { type: 'http', url: SERVER, oauth: true } }, oauth, fetch, ...more });
  hubs.push(hub);
  return hub;
}

/** Where a user is sent who has not signed in. */
async function signInUrl(hub: Hub, user: string): Promise<string> {
  const error: unknown = await hub.connect('tools', { user }).catch((reason: unknown) => reason);
  if (!(error instanceof McpError)) throw new Error('it was let in');
  expect(error.code).toBe('authorization_required');
  return String(error.context.authorizationUrl);
}

describe('servers that want users to sign in', () => {
  it('let each user in with their own token only', async () => {
    const network = protectedServer();
    const tokens = createMemoryTokenStore();
    const hub = makeHub(network.fetch, tokens);
    await hub.start();
    expect(hub.unavailable()).toEqual([{ server: 'tools', reason: 'Server "tools" requires the user to sign in' }]);

    const url = await signInUrl(hub, 'ada');
    expect(new URL(url).origin).toBe(ISSUER);
    expect(await hub.finishSignIn(network.signIn(url, 'ada'))).toEqual({ user: 'ada', server: 'tools' });
    const tool = hub.snapshot().get('tools/one');
    if (tool === undefined) throw new Error('no tool');
    expect(textOf(await hub.call({ tool, arguments: {}, origin: { user: 'ada' } }))).toBe('one');
    expect(new Set(network.seen)).toEqual(new Set(['ada']));

    await signInUrl(hub, 'grace');
    await expect(hub.call({ tool, arguments: {}, origin: { user: 'grace' } })).rejects.toThrow('sign in');
    await expect(hub.call({ tool, arguments: {} })).rejects.toThrow('sign in');
    await hub.finishSignIn(network.signIn(await signInUrl(hub, 'grace'), 'grace'));
    await hub.call({ tool, arguments: {}, origin: { user: 'grace' } });
    expect(new Set(network.seen)).toEqual(new Set(['ada', 'grace']));
  });

  it('are reported to the user of a proxy with the address for signing in', async () => {
    const network = protectedServer();
    const hub = makeHub(network.fetch, createMemoryTokenStore());
    await hub.finishSignIn(network.signIn(await signInUrl(hub, 'ada'), 'ada'));
    const proxy = createProxy({ hub, form: 'inline' });
    const call = async (access: Access): Promise<string> => {
      const client = createClient('v2');
      await connectClient(proxy, client, { access });
      const result = await client.callTool({ name: 'tools__one', arguments: {} });
      await client.close();
      return textOf(result);
    };
    expect(await call({ user: 'ada' })).toBe('one');
    expect(await call({ user: 'grace' })).toMatch(
      /^Server "tools" requires the user to sign in: https:\/\/login\.test\/authorize\?/,
    );
    expect(await call({})).toBe('Server "tools" requires the user to sign in');
    await proxy.close();
  });

  it('recognise a user after a restart', async () => {
    const network = protectedServer();
    const tokens = createMemoryTokenStore();
    const first = makeHub(network.fetch, tokens);
    await first.finishSignIn(network.signIn(await signInUrl(first, 'ada'), 'ada'));
    const second = makeHub(network.fetch, tokens);
    expect((await second.connect('tools', { user: 'ada' })).server).toBe('tools');
  });

  it('accept a callback once, and only for a sign-in that was started', async () => {
    const network = protectedServer();
    const hub = makeHub(network.fetch, createMemoryTokenStore());
    const callback = network.signIn(await signInUrl(hub, 'ada'), 'ada');
    await hub.finishSignIn(callback);
    await expect(hub.finishSignIn(callback)).rejects.toThrow('This sign-in is unknown or has already ended');
    await expect(hub.finishSignIn(new URLSearchParams({ code: 'x', state: 'forged' }))).rejects.toThrow('is unknown');
    const refused = new URLSearchParams({
      error: 'access_denied',
      state: new URL(await signInUrl(hub, 'grace')).searchParams.get('state') ?? '',
    });
    await expect(hub.finishSignIn(refused)).rejects.toThrow('The sign-in at server "tools" was refused: access_denied');
  });

  it('offer one sign-in to requests that are refused together, and let it be cancelled', async () => {
    const network = protectedServer();
    const tokens = createMemoryTokenStore();
    const oauth = createOAuthClient({ tokens, redirectUrl: 'http://localhost:8080/callback', fetch: network.fetch });
    const owner = { user: 'ada', server: 'tools' };
    const begin = () => oauth.begin(owner, { serverUrl: SERVER });
    const urls = await Promise.all([begin(), begin(), begin()]);
    expect(new Set(urls).size).toBe(1);
    expect(await oauth.finish(network.signIn(String(urls[0]), 'ada'))).toEqual(owner);
  });

  it('do not offer a sign-in that another process has ended or replaced', async () => {
    const network = protectedServer();
    const tokens = createMemoryTokenStore();
    const settings = { serverUrl: SERVER };
    const owner = { user: 'ada', server: 'tools' };
    const replica = () =>
      createOAuthClient({ tokens, redirectUrl: 'http://localhost:8080/callback', fetch: network.fetch });
    const [one, other] = [replica(), replica()];
    const first = await one.begin(owner, settings);
    const second = await other.begin(owner, settings);
    await expect(one.finish(network.signIn(String(first), 'ada'))).rejects.toThrow('is unknown');
    const third = await one.begin(owner, settings);
    expect(third).not.toBe(first);
    await expect(other.finish(network.signIn(String(second), 'ada'))).rejects.toThrow('is unknown');
    expect(await other.finish(network.signIn(String(third), 'ada'))).toEqual(owner);
    expect(await one.begin(owner, settings)).not.toBe(third);
  });

  it('reject a callback an hour after the sign-in started', async () => {
    const network = protectedServer();
    const clock = manualClock();
    const redirectUrl = 'http://localhost:8080/callback';
    const oauth = createOAuthClient({ tokens: createMemoryTokenStore(), redirectUrl, fetch: network.fetch, clock });
    const url = await oauth.begin({ user: 'ada', server: 'tools' }, { serverUrl: SERVER });
    clock.advance(60 * 60_000);
    await expect(oauth.finish(network.signIn(String(url), 'ada'))).rejects.toThrow('is unknown or has already ended');
  });

  it('without a redirect address accept users who signed in elsewhere, and tell the others what to do', async () => {
    const network = protectedServer();
    const tokens = createMemoryTokenStore();
    const howToSignIn = ({ user, server }: TokenOwner): string => `run: login ${server} for ${user}`;
    const closed = (): Hub => {
      const oauth = createOAuthClient({ tokens, howToSignIn, fetch: network.fetch });
      return makeHub(network.fetch, tokens, { oauth });
    };
    const refused = await closed()
      .connect('tools', { user: 'ada' })
      .catch((reason: unknown) => reason);
    expect(refused).toMatchObject({
      code: 'authorization_required',
      message: 'Server "tools" requires the user to sign in; run: login tools for ada',
      context: { server: 'tools' },
    });
    expect(await tokens.get({ user: 'ada', server: 'tools' })).toBeUndefined();

    const open = makeHub(network.fetch, tokens);
    await open.finishSignIn(network.signIn(await signInUrl(open, 'ada'), 'ada'));
    expect((await closed().connect('tools', { user: 'ada' })).server).toBe('tools');
    network.forgetTokens();
    expect((await closed().connect('tools', { user: 'ada' })).server).toBe('tools');
    const before = await tokens.get({ user: 'ada', server: 'tools' });
    network.forgetTokens({ refreshes: true });
    await expect(closed().connect('tools', { user: 'ada' })).rejects.toThrow('run: login tools for ada');
    expect(JSON.parse((await tokens.get({ user: 'ada', server: 'tools' })) ?? '{}').verifier).toBe(
      JSON.parse(before ?? '{}').verifier,
    );
  });

  it('are retried automatically if the user signs in elsewhere', async () => {
    const network = protectedServer();
    const tokens = createMemoryTokenStore();
    const clock = manualClock();
    const oauth = createOAuthClient({ tokens, fetch: network.fetch });
    const closed = makeHub(network.fetch, tokens, { oauth, clock });
    await closed.start();
    expect(closed.snapshot().tools).toEqual([]);
    const open = makeHub(network.fetch, tokens);
    await open.finishSignIn(network.signIn(await signInUrl(open, ''), 'ada'));
    clock.advance(1_000);
    await until(() => closed.snapshot().tools.length > 0);
    expect(closed.unavailable()).toEqual([]);
  });

  it('may ask for a sign-in even if the settings do not say so, unless they have a key', async () => {
    const { fetch } = protectedServer();
    const reasonFor = async (headers: Record<string, string>): Promise<unknown> => {
      const hub = makeHub(fetch, createMemoryTokenStore(), {
        servers: { tools: { type: 'http', url: SERVER, headers } },
      });
      await hub.start();
      return hub.unavailable()[0]?.reason;
    };
    expect(await reasonFor({})).toBe('Server "tools" requires the user to sign in');
    expect(await reasonFor({ authorization: 'Bearer old' })).toMatch(/401/);
  });

  /** The network, but for an address that never answers: what was asked there, by the signals of the requests. */
  function withHole(
    network: ReturnType<typeof protectedServer>,
    isHole: (url: string) => boolean,
  ): { readonly fetch: typeof globalThis.fetch; readonly waiting: AbortSignal[] } {
    const waiting: AbortSignal[] = [];
    return {
      waiting,
      fetch: (input, init) => {
        if (!isHole(String(input))) return network.fetch(input, init);
        const { signal } = new Request(input, init);
        waiting.push(signal);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
    };
  }

  it('do not delay closing the hub during discovery', async () => {
    const { fetch, waiting } = withHole(protectedServer(), (url) => url.includes('oauth-authorization-server'));
    const hub = makeHub(fetch, createMemoryTokenStore(), { clock: manualClock() });
    const started = hub.start();
    await until(() => waiting.length === 1);
    await hub.close();
    await started;
    expect(waiting.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('have the connection timeout for renewing tokens', async () => {
    const network = protectedServer();
    let isHung = false;
    const { fetch, waiting } = withHole(network, (url) => isHung && url === `${ISSUER}/token`);
    const clock = manualClock();
    const hub = makeHub(fetch, createMemoryTokenStore(), { clock });
    await hub.finishSignIn(network.signIn(await signInUrl(hub, 'ada'), 'ada'));
    const tool = hub.snapshot().get('tools/one');
    if (tool === undefined) throw new Error('no tool');
    network.forgetTokens();
    isHung = true;
    const calling = hub.call({ tool, arguments: {}, origin: { user: 'ada' } });
    calling.catch(() => {});
    await until(() => waiting.length === 1);
    clock.advance(30_000);
    // No one has to sign in again for a network that fails.
    await expect(calling).rejects.toThrow(
      'The tokens for server "tools" can\'t be renewed now: The sign-in got no answer within 30 s',
    );
  });

  it('have half a minute to complete a sign-in', async () => {
    const network = protectedServer();
    const { fetch, waiting } = withHole(network, (url) => url === `${ISSUER}/token`);
    const clock = manualClock();
    const tokens = createMemoryTokenStore();
    const oauth = createOAuthClient({ tokens, redirectUrl: 'http://localhost:8080/callback', fetch, clock });
    const hub = makeHub(fetch, tokens, { oauth });
    const finishing = hub.finishSignIn(network.signIn(await signInUrl(hub, 'ada'), 'ada'));
    finishing.catch(() => {});
    await until(() => waiting.length === 1);
    clock.advance(30_000);
    await expect(finishing).rejects.toThrow('The sign-in at server "tools" got no answer within 30 s');
  });
});
