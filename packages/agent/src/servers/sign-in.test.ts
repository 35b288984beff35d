import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ask, calling } from '../testing/ask.fixture.ts';
import { initOf, resultsIn } from '../testing/collect.fixture.ts';

const SERVER = 'https://tools.test/mcp';
const ISSUER = 'https://login.test';
const REDIRECT = 'http://localhost:8080/callback';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'tools', version: '1.0.0' });
  const inputSchema = z.object({});
  server.registerTool('who_am_i', { description: 'Tells who is signed in.', inputSchema }, () => ({
    content: [{ type: 'text', text: 'Ada' }],
  }));
  return server;
});

/** A protected server and its authorization server. */
const ANSWERS: Record<string, (request: Request) => Response | Promise<Response>> = {
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
    Response.json({ ...((await request.json()) as object), client_id: 'client' }, { status: 201 }),
  [`${ISSUER}/token`]: async (request) =>
    new URLSearchParams(await request.text()).get('code') === 'good'
      ? Response.json({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 })
      : Response.json({ error: 'invalid_grant' }, { status: 400 }),
  [SERVER]: (request) =>
    request.headers.get('authorization') === 'Bearer token'
      ? handler.fetch(request)
      : new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
};

beforeEach(() => {
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    return (await ANSWERS[request.url]?.(request)) ?? new Response('Not found', { status: 404 });
  });
});
afterEach(() => vi.unstubAllGlobals());

const OPTIONS = { mcpServers: { tools: { type: 'http', url: SERVER, oauth: true } }, allowedTools: ['*'] } as const;

it('a user signs in before the first message, and the server’s tools can be called', async () => {
  const asked: string[] = [];
  const authorize = async (url: string, { server }: { readonly server: string }): Promise<string> => {
    asked.push(server, new URL(url).origin);
    return `${REDIRECT}?code=good&state=${new URL(url).searchParams.get('state')}`;
  };
  const signIn = { redirectUrl: REDIRECT, authorize };
  const { messages } = await ask(calling('mcp__tools__who_am_i'), { ...OPTIONS, signIn });
  expect(asked).toEqual(['tools', ISSUER]);
  expect(initOf(messages).mcp_servers).toEqual([{ name: 'tools', status: 'connected' }]);
  expect(resultsIn(messages)).toEqual([{ text: 'Ada', isError: false }]);
});

it.each([
  ['the user does not want to', () => Promise.reject(new Error('no'))],
  ['the code is wrong', async (url: string) => `${REDIRECT}?code=bad&state=${new URL(url).searchParams.get('state')}`],
  ['the answer is no address', async () => 'what?'],
])('a server stays needs-auth where %s, and the query goes on', async (_what, authorize) => {
  const { messages } = await ask([{ text: 'Done.' }], { ...OPTIONS, signIn: { redirectUrl: REDIRECT, authorize } });
  expect(initOf(messages).mcp_servers).toMatchObject([{ name: 'tools', status: 'needs-auth' }]);
});

it('a server stays needs-auth if no one can sign in', async () => {
  const { messages } = await ask([{ text: 'Done.' }], OPTIONS);
  expect(initOf(messages).mcp_servers).toMatchObject([{ name: 'tools', status: 'needs-auth' }]);
});
