import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { McpError } from '../errors.ts';
import { createHub, type Hub, type RemoteSettings } from '../hub/index.ts';
import { createMemoryTokenStore, type TokenStore } from '../store/index.ts';
import { textOf } from '../testing/clients.fixture.ts';
import { PROTECTED_URL, type ProtectedNetwork, protectedNetwork } from '../testing/protected-network.fixture.ts';
import { createOAuthClient, type OAuthOptions } from './oauth-client.ts';

const REDIRECT = 'http://localhost:8080/callback';

interface HubSettings extends Partial<OAuthOptions> {
  readonly settings?: Partial<RemoteSettings>;
}

function makeHub({ fetch }: ProtectedNetwork, { settings, ...more }: HubSettings = {}): Hub {
  const oauth = createOAuthClient({ tokens: createMemoryTokenStore(), redirectUrl: REDIRECT, fetch, ...more });
  const servers = { tools: { type: 'http' as const, url: PROTECTED_URL, oauth: true, ...settings } };
  const hub = createHub({ servers, oauth, fetch });
  onTestFinished(() => hub.close());
  return hub;
}

async function call(hub: Hub, name: string): Promise<string> {
  const tool = hub.snapshot().get(`tools/${name}`);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return textOf(await hub.call({ tool, arguments: {} }));
}

/** What a refusal says. */
async function refusal(attempt: Promise<unknown>): Promise<McpError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof McpError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

function addressIn({ context }: McpError): URL {
  return new URL(String(context.authorizationUrl));
}

async function signIn(hub: Hub, network: ProtectedNetwork, attempt: Promise<unknown>): Promise<URL> {
  const address = addressIn(await refusal(attempt));
  await hub.finishSignIn(network.signIn(address.href));
  return address;
}

describe('a server that wants more scopes for one of its tools', () => {
  const scopes = { write: 'tools:write', erase: 'tools:erase' };

  it('gets a new sign-in with all scopes so far, and then the call works', async () => {
    const network = protectedNetwork({ scopes });
    const hub = makeHub(network);
    await signIn(hub, network, hub.connect('tools'));
    expect(await call(hub, 'read')).toBe('read');
    const first = await signIn(hub, network, call(hub, 'write'));
    expect(first.searchParams.get('scope')).toBe('tools:write');
    expect(await call(hub, 'write')).toBe('write');
    const second = await signIn(hub, network, call(hub, 'erase'));
    expect(second.searchParams.get('scope')?.split(' ').sort()).toEqual(['tools:erase', 'tools:write']);
    expect([await call(hub, 'erase'), await call(hub, 'write')]).toEqual(['erase', 'write']);
  });

  it('that does not grant the scopes is distinguished from one that needs a sign-in', async () => {
    const network = protectedNetwork({ scopes, grant: () => 'tools:read' });
    const hub = makeHub(network);
    await signIn(hub, network, hub.connect('tools'));
    await signIn(hub, network, call(hub, 'write'));
    expect(await refusal(call(hub, 'write'))).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('because a scope is missing (tools:write), although the sign-in asked for it'),
    });
  });

  it('gets the scopes of the settings in the first request', async () => {
    const network = protectedNetwork({ scopes });
    const hub = makeHub(network, { settings: { oauth: { scopes: ['tools:write', 'tools:erase'] } } });
    await signIn(hub, network, hub.connect('tools'));
    expect([await call(hub, 'erase'), await call(hub, 'write')]).toEqual(['erase', 'write']);
  });
});

describe('the OAuth client of a sign-in', () => {
  it('is the client that the operator has registered, with its secret', async () => {
    const network = protectedNetwork({ clients: { ours: 'hush' } });
    const hub = makeHub(network, { settings: { oauth: { clientId: 'ours', clientSecret: 'hush' } } });
    const address = await signIn(hub, network, hub.connect('tools'));
    expect(address.searchParams.get('client_id')).toBe('ours');
    expect(await call(hub, 'read')).toBe('read');
    network.expire();
    expect(await call(hub, 'read')).toBe('read');
    expect(network.asked).toEqual(['authorization_code', 'refresh_token']);
  });

  it('is a metadata URL if the authorization server supports it, otherwise a registered client', async () => {
    const clientMetadataUrl = 'https://quartermaster.test/client.json';
    for (const readsDocuments of [true, false]) {
      const network = protectedNetwork({ readsDocuments });
      const hub = makeHub(network, { clientMetadataUrl });
      const address = await signIn(hub, network, hub.connect('tools'));
      expect(address.searchParams.get('client_id') === clientMetadataUrl).toBe(readsDocuments);
      expect(await call(hub, 'read')).toBe('read');
      expect(network.asked.includes('register')).toBe(!readsDocuments);
    }
  });

  it('is registered again for another redirect address; an unfinished sign-in changes nothing', async () => {
    const network = protectedNetwork();
    const tokens = createMemoryTokenStore();
    const first = makeHub(network, { tokens });
    await signIn(first, network, first.connect('tools'));
    const second = makeHub(network, { tokens, redirectUrl: async () => 'http://localhost:9090/callback' });
    const address = new URL((await second.beginSignIn('tools')) ?? '');
    expect(address.searchParams.get('redirect_uri')).toBe('http://localhost:9090/callback');
    expect(network.asked.filter((one) => one === 'register')).toHaveLength(2);
    network.expire();
    // With the client of the first one still.
    expect(await call(first, 'read')).toBe('read');
    await second.finishSignIn(network.signIn(address.href));
    network.expire();
    expect(await call(first, 'read')).toBe('read');
  });

  it('begins one sign-in, however often the server is tried', async () => {
    const network = protectedNetwork();
    const hub = makeHub(network);
    const addresses = new Set<string>();
    for (let time = 0; time < 5; time += 1) {
      addresses.add(addressIn(await refusal(hub.connect('tools', { user: 'ada' }))).href);
    }
    expect(addresses.size).toBe(1);
    expect(await hub.signIns('ada')).toEqual([{ server: 'tools', isSignedIn: false }]);
    await hub.finishSignIn(network.signIn([...addresses][0] ?? ''));
    expect(await hub.signIns('ada')).toEqual([{ server: 'tools', isSignedIn: true }]);
  });
});

describe('tokens', () => {
  const REPLICAS = 4;

  /** One database file that each replica opens by itself. */
  async function sharedStore(): Promise<() => Promise<TokenStore>> {
    const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
    const encryptionKeys = [randomBytes(32)];
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return async () => {
      const store = await openStore({ path: join(folder, 'store.db'), encryptionKeys });
      onTestFinished(() => store.close());
      return store.tokens;
    };
  }

  it('are renewed once when several replicas find them expired, and no refresh token is used twice', async () => {
    const network = protectedNetwork();
    const open = await sharedStore();
    const stores = await Promise.all(Array.from({ length: REPLICAS }, open));
    const hubs = stores.map((tokens) => makeHub(network, { tokens }));
    const [first] = hubs as [Hub, ...Hub[]];
    await signIn(first, network, first.connect('tools'));
    await Promise.all(hubs.map((hub) => hub.start()));
    for (let round = 0; round < 3; round += 1) {
      network.expire();
      const calls = hubs.flatMap((hub) => [call(hub, 'read'), call(hub, 'write')]);
      expect(new Set(await Promise.all(calls))).toEqual(new Set(['read', 'write']));
    }
    expect(network.reuses).toBe(0);
    expect(network.asked.filter((one) => one === 'refresh_token')).toHaveLength(3);
  });

  it('that were renewed are not lost while the store can’t be written', async () => {
    const network = protectedNetwork();
    const store = createMemoryTokenStore();
    let isAway = false;
    const tokens: TokenStore = {
      ...store,
      put: (...put) => (isAway ? Promise.reject(new Error('The database is away')) : store.put(...put)),
    };
    const hub = makeHub(network, { tokens });
    await signIn(hub, network, hub.connect('tools'));
    isAway = true;
    for (let round = 0; round < 2; round += 1) {
      network.expire();
      expect(await call(hub, 'read')).toBe('read');
    }
    isAway = false;
    expect(await call(hub, 'read')).toBe('read');
    const other = makeHub(network, { tokens: store });
    await other.connect('tools');
    expect(network.reuses).toBe(0);
  });

  it('are kept while the authorization server is unavailable, and deleted when it rejects them', async () => {
    const network = protectedNetwork();
    const tokens = createMemoryTokenStore();
    const hub = makeHub(network, { tokens });
    await signIn(hub, network, hub.connect('tools'));
    network.expire();
    network.failure = 503;
    expect(await refusal(call(hub, 'read'))).toMatchObject({
      code: 'server_down',
      message: 'The tokens for server "tools" can\'t be renewed now: it answered with 503',
    });
    network.failure = undefined;
    expect(await call(hub, 'read')).toBe('read');
    expect(await hub.signIns()).toEqual([{ server: 'tools', isSignedIn: true }]);
    // Another copy of the refresh token is used first, as a thief would.
    const kept = JSON.parse((await tokens.get({ user: '', server: 'tools' })) ?? '{}') as {
      tokens: { refresh_token: string };
      client: { client_id: string };
    };
    const body = { grant_type: 'refresh_token', refresh_token: kept.tokens.refresh_token };
    const form = new URLSearchParams({ ...body, client_id: kept.client.client_id });
    await network.fetch('https://login.test/token', { method: 'POST', body: form });
    network.expire();
    expect(await refusal(call(hub, 'read'))).toMatchObject({ code: 'authorization_required' });
    expect(await hub.signIns()).toEqual([{ server: 'tools', isSignedIn: false }]);
  });

  it('are sent only to the address that they were issued for', async () => {
    const network = protectedNetwork();
    const tokens = createMemoryTokenStore();
    const hub = makeHub(network, { tokens });
    await signIn(hub, network, hub.connect('tools'));
    const seen: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.url === 'https://other.test/mcp') seen.push(request.headers.get('authorization'));
      return new Response(null, { status: request.url === 'https://other.test/mcp' ? 401 : 404 });
    };
    const other = makeHub({ ...network, fetch }, { tokens, settings: { url: 'https://other.test/mcp' } });
    await refusal(other.connect('tools'));
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([null]));
  });
});
