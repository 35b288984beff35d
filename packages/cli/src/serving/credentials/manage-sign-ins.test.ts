import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ProtectedServer, startProtectedServer } from '../protected-server.fixture.ts';
import { BIN, type RunningCommand, runCommand, startCommand, temporaryFolder } from '../running-command.fixture.ts';
import { signIn } from './sign-in.ts';

const FILESYSTEM = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const FILE = ['--mcp-config', '.mcp.json'];

const TOLD = 'requires the user to sign in; run: quartermaster mcp login tracker --mcp-config .mcp.json';

/** A client's file as people have it: nothing in it says that the server wants a sign-in. */
async function project(): Promise<{ readonly folder: string; readonly server: ProtectedServer }> {
  const server = await startProtectedServer();
  const folder = temporaryFolder();
  const files = { command: process.execPath, args: [FILESYSTEM, folder] };
  const mcpServers = { tracker: { type: 'http', url: server.url }, files };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  return { folder, server };
}

function startLogin(folder: string, args: readonly string[] = []): RunningCommand {
  return startCommand(['mcp', 'login', 'tracker', ...FILE, ...args], { cwd: folder });
}

/** Does what a browser does with the address on stdout. */
async function followAddress(login: RunningCommand): Promise<Response> {
  const address = (await login.until('\n')).trim();
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/authorize\?/);
  return fetch(address);
}

async function startProxy(
  folder: string,
  capabilities: ClientCapabilities = {},
): Promise<{ readonly client: Client; readonly err: () => string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...FILE, '--form', 'bridge'],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: join(folder, 'data') },
    stderr: 'pipe',
  });
  let err = '';
  transport.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  const client = new Client({ name: 'test-client', version: '1.0.0' }, { capabilities });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, err: () => err };
}

async function callThrough(folder: string): Promise<string> {
  const { client } = await startProxy(folder);
  const result = await client.callTool({ name: 'tool_call', arguments: { name: 'tracker__list_issues' } });
  await client.close();
  return JSON.stringify(result.content);
}

/** What the model is told; people are told the same. */
async function searchThrough(folder: string): Promise<string> {
  const { client, err } = await startProxy(folder);
  const found = await searchUntil(client, TOLD);
  await client.close();
  expect(err()).toContain(TOLD);
  return found;
}

/** Searches until the answer says so: on a busy machine, the first may say that the server is still starting. */
async function searchUntil(client: Client, said: string): Promise<string> {
  let found = '';
  const search = async (): Promise<string> => {
    const { content } = await client.callTool({ name: 'tool_search', arguments: { query: 'list issues' } });
    found = JSON.stringify(content);
    return found;
  };
  await expect.poll(search, { timeout: 30_000 }).toContain(said);
  return found;
}

describe('quartermaster mcp login', () => {
  it('signs in through the browser; the proxy then uses the tokens and renews them', async () => {
    const { folder, server } = await project();
    const login = startLogin(folder);
    const page = await followAddress(login);
    expect([page.status, await page.text()]).toEqual([200, 'You are signed in. You can close this window.\n']);
    expect(await login.ended).toEqual({ code: 0, signal: null });
    expect(login.err()).toContain('Signed in to "tracker": 1 tool. The tokens are stored encrypted');

    expect(await callThrough(folder)).toContain('no issues');
    server.expire();
    expect(await callThrough(folder)).toContain('no issues');
    expect(server.seen).toEqual(server.issued);
    expect(server.issued).toHaveLength(2);

    const data = join(folder, 'data', 'quartermaster');
    const entries = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const files = entries.map(({ parentPath, name }) => relative(data, join(parentPath, name)));
    const bytes = files.map((file) => readFileSync(join(data, file), 'latin1')).join('');
    for (const token of server.issued) expect(bytes).not.toContain(token);
    for (const file of files) expect(statSync(join(data, file)).mode & 0o077).toBe(0);
  });

  it('is suggested by the proxy and by searches before a sign-in and after logout', async () => {
    const { folder } = await project();
    expect(await searchThrough(folder)).toContain(TOLD);
    const login = startLogin(folder);
    await followAddress(login);
    await login.ended;
    expect(await callThrough(folder)).toContain('no issues');

    const logout = () => startCommand(['mcp', 'logout', 'tracker', ...FILE], { cwd: folder });
    const first = logout();
    expect((await first.ended).code).toBe(0);
    expect(first.err()).toContain('Signed out of "tracker"');
    const second = logout();
    expect((await second.ended).code).toBe(1);
    expect(second.err()).toContain('No one is signed in to "tracker"');
    expect(await callThrough(folder)).toContain(TOLD);
  });

  it('requests the scope that a call lacked, in addition to earlier ones', async () => {
    const { folder, server } = await project();
    const first = startLogin(folder);
    await followAddress(first);
    await first.ended;
    server.needed = 'issues:write';
    expect(await callThrough(folder)).toContain(TOLD);
    const second = startLogin(folder);
    const address = new URL((await second.until('\n')).trim());
    expect(address.searchParams.get('scope')).toBe('issues:write');
    await fetch(address);
    expect((await second.ended).code).toBe(0);
    expect(await callThrough(folder)).toContain('no issues');
  });

  it('is not needed by a client that can open addresses: its user signs in during the call', async () => {
    const { folder } = await project();
    const { client } = await startProxy(folder, { elicitation: { url: {} } });
    const opened: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const url = 'url' in params ? String(params.url) : '';
      opened.push(url);
      expect(await (await fetch(url)).text()).toBe('You are signed in. You can close this window.\n');
      return { action: 'accept' };
    });
    const call = { name: 'tool_call', arguments: { name: 'tracker__list_issues' } };
    // Nothing of the server is known before someone has signed in, so the search says what is missing.
    await searchUntil(client, 'requires the user to sign in');
    expect(JSON.stringify((await client.callTool(call)).content)).toContain('no issues');
    expect(opened).toHaveLength(1);
    await client.close();
    expect(await callThrough(folder)).toContain('no issues');
  });

  it('reports a refusal and keeps the earlier sign-in', async () => {
    const { folder, server } = await project();
    const first = startLogin(folder);
    await followAddress(first);
    await first.ended;
    server.isRefusing = true;
    const second = startLogin(folder);
    expect((await followAddress(second)).status).toBe(400);
    expect((await second.ended).code).toBe(69);
    expect(second.err()).toContain('The sign-in at server "tracker" was refused: access_denied');
    expect(await callThrough(folder)).toContain('no issues');
  });

  it('accepts only its own callback', async () => {
    const { folder } = await project();
    const login = startLogin(folder);
    const address = (await login.until('\n')).trim();
    const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    expect((await fetch(`${back.href}?code=stolen&state=forged`)).status).toBe(400);
    expect((await fetch(new URL('/', back))).status).toBe(404);
    expect((await fetch(address)).status).toBe(200);
    expect((await login.ended).code).toBe(0);
  });

  it('keeps the sign-ins of gateway keys separate', async () => {
    const { folder } = await project();
    const login = startLogin(folder, ['--user', 'key_1']);
    await followAddress(login);
    expect((await login.ended).code).toBe(0);
    expect(await callThrough(folder)).toContain(TOLD);
  });

  it('signs in one gateway key only; others use the page of the gateway', async () => {
    const { folder, server } = await project();
    const files = { command: process.execPath, args: [FILESYSTEM, folder] };
    const mcpServers = { tracker: { url: server.url, oauth: true }, files };
    writeFileSync(join(folder, 'quartermaster.yaml'), JSON.stringify({ mcpServers, store: { path: 'store.db' } }));
    const finished = async (...args: string[]): Promise<string> => {
      const command = startCommand(args, { cwd: folder });
      expect(await command.ended).toEqual({ code: 0, signal: null });
      return command.out();
    };
    const ada = (await finished('keys', 'create', 'ada', '--deny', 'files/write_*')).trim();
    const grace = (await finished('keys', 'create', 'grace', '--allow', 'tracker')).trim();
    const keys = (await finished('keys', 'list', '--json')).trim().split('\n');
    const { id } = JSON.parse(keys[0] ?? '') as { id: string };
    const login = startCommand(['mcp', 'login', 'tracker', '--user', id], { cwd: folder });
    await followAddress(login);
    expect((await login.ended).code).toBe(0);

    const gateway = startCommand(['serve', '--port', '0'], { cwd: folder });
    const url = /http:\/\/\S+:\d+/.exec(await gateway.until('Ctrl+C stops it'))?.[0] ?? '';
    const connect = async (key: string): Promise<Client> => {
      const client = new Client({ name: 'test-client', version: '1.0.0' });
      const requestInit = { headers: { 'x-api-key': key } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      onTestFinished(() => client.close());
      return client;
    };
    const call = async (client: Client): Promise<string> =>
      JSON.stringify((await client.callTool({ name: 'tracker__list_issues', arguments: {} })).content);
    const [one, two] = [await connect(ada), await connect(grace)];
    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names(one)).toContain('files__read_text_file');
    expect(await names(one)).not.toContain('files__write_file');
    expect(await call(one)).toContain('no issues');
    const page = `${url}/sign-in?server=tracker`;
    expect(await call(two)).toContain(`requires the user to sign in: ${page}`);
    expect(await names(two)).toEqual(['tracker__list_issues']);
    expect(server.seen).toEqual(server.issued);

    const sendBack = async (key: string): Promise<{ readonly callback: string; readonly cookie: string }> => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const body = JSON.stringify({ server: 'tracker' });
      const begun = await fetch(`${url}/v1/sign-ins`, { method: 'POST', headers, body });
      const { url: address } = (await begun.json()) as { readonly url: string };
      const asked = await fetch(address, { redirect: 'manual' });
      return {
        callback: asked.headers.get('location') ?? '',
        cookie: begun.headers.get('set-cookie')?.split(';')[0] ?? '',
      };
    };
    const { callback, cookie } = await sendBack(grace);
    // Someone else's browser, sent there with the address of a sign-in that grace began.
    const other = await sendBack(ada);
    expect((await fetch(callback)).status).toBe(400);
    expect((await fetch(callback, { headers: { cookie: other.cookie } })).status).toBe(400);
    expect(await call(two)).toContain('requires the user to sign in');
    const done = await fetch(callback, { headers: { cookie } });
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('You are signed in at tracker.')]);
    expect(done.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await fetch(callback, { headers: { cookie } })).status).toBe(400);
    expect(await call(two)).toContain('no issues');

    server.needed = 'issues:write';
    const able = new Client(
      { name: 'able', version: '1' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    able.setRequestHandler('elicitation/create', async ({ params }) => {
      expect('url' in params && params.url).toBe(page);
      const again = await sendBack(grace);
      expect((await fetch(again.callback, { headers: { cookie: again.cookie } })).status).toBe(200);
      return { action: 'accept' };
    });
    const requestInit = { headers: { 'x-api-key': grace } };
    await able.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    onTestFinished(() => able.close());
    expect(await call(able)).toContain('no issues');
  });

  it.each([
    ['a name that is not there', ['login', 'nobody'], 'There is no server "nobody". Servers with a URL: tracker'],
    ['a program', ['login', 'files'], '"files" is a local command'],
    ['a store that forgets', ['login', 'tracker', '--store', ':memory:'], 'name a file with --store FILE'],
    ['a shared store without a key', ['login', 'tracker', '--store', 'postgres://h/d'], 'openssl rand -base64 32'],
  ])('with %s says what to do', async (_what, [command = '', name = '', ...args], expected) => {
    const { folder } = await project();
    const file = ['--mcp-config', join(folder, '.mcp.json')];
    const { code, err } = await runCommand(['mcp', command, name, ...file, ...args], { XDG_DATA_HOME: folder });
    expect(err).toContain(expected);
    expect(code).toBe(2);
  });

  it('gives up if the user does not return', async () => {
    const { server } = await project();
    const addresses: string[] = [];
    const waiting = signIn({
      ...{ server: 'tracker', settings: { url: server.url }, port: 0, timeoutMs: 1 },
      onAddress: (url) => addresses.push(url),
    });
    await expect(waiting).rejects.toThrow('No one signed in within');
    expect(addresses).toHaveLength(1);
  });

  it('removes control characters of a server from its output', async () => {
    const { server } = await project();
    const refused = signIn({
      ...{ server: 'tracker', settings: { url: server.url }, port: 0, timeoutMs: 60_000 },
      onAddress: (address) => {
        const { searchParams } = new URL(address);
        const back = new URL(searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('state', searchParams.get('state') ?? '');
        back.searchParams.set('error', '\u001b[31mno\nway\u202e');
        void fetch(back);
      },
    });
    await expect(refused).rejects.toThrow(/^The sign-in at server "tracker" was refused: \[31mno way$/);
  });
});
