import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHub, type Hub } from '../hub/index.ts';
import { createOAuthClient } from '../oauth/index.ts';
import { createMemoryTokenStore } from '../store/index.ts';
import { connectClient, createClient, textOf } from '../testing/clients.fixture.ts';
import { PROTECTED_URL, type ProtectedNetwork, protectedNetwork } from '../testing/protected-network.fixture.ts';
import { createProxy } from './create-proxy.ts';

const SCOPES = { write: 'tools:write' };
const LINES = ['v2', 'v2-modern'] as const;

interface Setting {
  readonly hub: Hub;
  readonly network: ProtectedNetwork;
}

/** A hub whose user is signed in, as far as it goes. Sign-ins begin when they are asked for. */
async function signedIn(): Promise<Setting> {
  const network = protectedNetwork({ scopes: SCOPES });
  const { fetch } = network;
  const oauth = createOAuthClient({
    tokens: createMemoryTokenStore(),
    redirectUrl: async () => 'http://127.0.0.1:7777/callback',
    howToSignIn: () => 'run: quartermaster mcp login tools',
    fetch,
  });
  const hub = createHub({ servers: { tools: { type: 'http', url: PROTECTED_URL, oauth: true } }, oauth, fetch });
  onTestFinished(() => hub.close());
  await hub.finishSignIn(network.signIn((await hub.beginSignIn('tools')) ?? ''));
  return { hub, network };
}

/** A client whose user does this with an address. */
async function connect(
  { hub }: Setting,
  line: (typeof LINES)[number],
  open?: (url: string) => Promise<'accept' | 'decline'>,
): Promise<Client> {
  const proxy = createProxy({ hub, form: 'inline' });
  const client = createClient(line, open === undefined ? {} : { elicitation: { url: {} } });
  if (open !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: await open('url' in params ? String(params.url) : ''),
    }));
  await connectClient(proxy, client, { isSole: true });
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
  });
  return client;
}

describe.each(LINES)('a %s client that can open addresses', (line) => {
  it('is sent to sign in with the scopes that a call needs, and the call continues', async () => {
    const setting = await signedIn();
    const opened: URL[] = [];
    const client = await connect(setting, line, async (url) => {
      opened.push(new URL(url));
      void setting.hub.finishSignIn(setting.network.signIn(url));
      return 'accept';
    });
    expect(textOf(await client.callTool({ name: 'tools__read', arguments: {} }))).toBe('read');
    expect(opened).toEqual([]);
    expect(textOf(await client.callTool({ name: 'tools__write', arguments: {} }))).toBe('write');
    expect(opened.map((url) => url.searchParams.get('scope'))).toEqual(['tools:write']);
    expect(textOf(await client.callTool({ name: 'tools__write', arguments: {} }))).toBe('write');
  });

  it('is told if its user declines', async () => {
    const client = await connect(await signedIn(), line, async () => 'decline');
    expect(await client.callTool({ name: 'tools__write', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('requires the user to sign in, and the user declined to') }],
    });
  });
});

it('a client that can’t open addresses gets the command to run', async () => {
  const client = await connect(await signedIn(), 'v2');
  expect(textOf(await client.callTool({ name: 'tools__write', arguments: {} }))).toBe(
    'Server "tools" requires the user to sign in; run: quartermaster mcp login tools',
  );
});

it('a client over HTTP is asked in the result for the page of the gateway, and calls again by itself', async () => {
  const { hub, network } = await signedIn();
  const proxy = createProxy({ hub, form: 'inline' });
  const access = { signInPage: (server: string) => `https://gateway.test/sign-in#${server}` };
  onTestFinished(() => proxy.close());
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = createClient('v2-modern', { elicitation: { url: {} } });
  onTestFinished(() => client.close());
  const opened: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    opened.push('url' in params ? String(params.url) : '');
    await hub.finishSignIn(network.signIn((await hub.beginSignIn('tools')) ?? ''));
    return { action: 'accept' };
  });
  const fetch = (input: string | URL, init?: RequestInit) => proxy.fetch(new Request(input, init), access);
  await client.connect(new StreamableHTTPClientTransport(new URL('https://gateway.test/mcp'), { fetch }));
  const result = await client.callTool({ name: 'tools__write', arguments: {} });
  expect(opened).toEqual(['https://gateway.test/sign-in#tools']);
  expect(textOf(result)).toBe('write');
});
