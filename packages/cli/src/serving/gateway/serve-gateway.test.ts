import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { defined } from '@quartermaster/core/internal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manyToolsServer } from '../many-tools-server.fixture.ts';
import { type RunningCommand, runCommand, startCommand, temporaryFolder } from '../running-command.fixture.ts';

const THIS_FILE = fileURLToPath(import.meta.url);
const LAST_LINE = 'Ctrl+C stops it';

const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

async function startGateway(
  args: readonly string[] = [],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<RunningCommand & { readonly url: string }> {
  const command = startCommand(['serve', '--port', '0', '--store', ':memory:', ...args], {
    cwd: options.cwd ?? temporaryFolder(),
    ...defined({ env: options.env }),
  });
  const out = await command.until(LAST_LINE);
  return { ...command, url: /http:\/\/\S+:\d+/.exec(out)?.[0] ?? '' };
}

/** The three lines for the Anthropic SDK, run as they are printed; `console.log` writes what can be read back. */
async function runSdkLines(command: RunningCommand, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const lines = /^import Anthropic .*\n.*\n.*$/m.exec(command.out())?.[0] ?? '';
  const script = lines.replace(/console\.log\((.*)\);$/, 'console.log(JSON.stringify($1));');
  const args = ['--input-type=module', '-e', script];
  // From the package that has the SDK.
  const cwd = fileURLToPath(new URL('../../../../gateway', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

function curlLine(command: RunningCommand): string {
  return /^curl .*$/m.exec(command.out())?.[0] ?? '';
}

/** The request that a curl line stands for. */
function readCurl(line: string): { readonly url: string; readonly init: RequestInit } {
  const headers = [...line.matchAll(/-H '([^:']+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]);
  const body = / -d '([^']+)'$/.exec(line)?.[1];
  return {
    url: /http:\/\/\S+/.exec(line)?.[0] ?? '',
    init: body === undefined ? {} : { method: 'POST', headers: Object.fromEntries(headers), body },
  };
}

const FLOW = {
  content: [
    { type: 'text' },
    { type: 'server_tool_use', name: 'tool_search_tool_bm25' },
    { type: 'tool_search_tool_result' },
    { type: 'text' },
    { type: 'tool_use', name: 'weather__get_weather_alerts', input: { location: 'Oslo' } },
  ],
  stop_reason: 'tool_use',
};

describe('quartermaster serve', () => {
  it('prints a curl command that runs as printed and shows the whole flow', async () => {
    const gateway = await startGateway();
    const { url, init } = readCurl(curlLine(gateway));
    const response = await fetch(url, init);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject(FLOW);
    if (!HAS_CURL) return;
    const { stdout } = await promisify(execFile)('sh', ['-c', curlLine(gateway)]);
    expect(JSON.parse(stdout)).toMatchObject(FLOW);
  });

  it('prints code for the Anthropic SDK that sends the same request', async () => {
    expect(await runSdkLines(await startGateway())).toMatchObject(FLOW);
  });

  it('logs its start and every request on stderr', async () => {
    const gateway = await startGateway([], { env: { QUARTERMASTER_SEARCH_ENGINE: 'auto' } });
    expect(gateway.err()).toBe(
      'Opening the store (in memory, lost on exit)\n' +
        'Deferring the tools that clients mark (deferral: as-requested, the default)\n' +
        'Search engine: hybrid+reranker (search.engine is auto, and the reranker loads)\n' +
        'Loading the sample catalog\n',
    );
    await fetch(`${gateway.url}/v1/models`);
    const line = (await gateway.until('request-end', 'err')).trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 'info', event: 'request-end', route: 'models', status: 200 });
    expect(gateway.out()).not.toContain('\u001b[');
  });

  it.each([
    ['debug', ['decision', 'load', 'request-end', 'request-fail', 'search']],
    ['info', ['request-end', 'request-fail']],
    ['warn', ['request-fail']],
    ['error', []],
  ])('logs as much as QUARTERMASTER_LOG says: %s', async (level, events) => {
    const gateway = await startGateway(['--log', 'json'], { env: { QUARTERMASTER_LOG: level } });
    const { url, init } = readCurl(curlLine(gateway));
    expect((await fetch(url, init)).status).toBe(200);
    expect((await fetch(`${gateway.url}/nowhere`)).status).toBe(404);
    // All that is still to be written is, before it ends.
    gateway.child.kill('SIGTERM');
    await gateway.ended;
    const lines = gateway.err().split('\n');
    const entries = lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as { event: string }] : []));
    expect([...new Set(entries.map(({ event }) => event))].sort()).toEqual(events);
    const paths = entries.flatMap((entry) => ('path' in entry ? [entry.path] : []));
    expect(paths).toEqual(level === 'error' ? [] : ['/nowhere']);
  });

  it('refuses a level that there is not', async () => {
    const { code, err } = await runCommand(['serve', '--port', '0', '--store', ':memory:'], {
      QUARTERMASTER_LOG: 'loud',
    });
    expect(code).toBe(2);
    expect(err).toContain('QUARTERMASTER_LOG is "loud", not one of debug, info, warn, error');
  });

  it('keeps its store in the user’s data folder, not where it was started', async () => {
    const cwd = temporaryFolder();
    const first = startCommand(['serve', '--port', '0'], { cwd });
    await first.until(LAST_LINE);
    expect(existsSync(join(cwd, 'data', 'quartermaster', 'store.db'))).toBe(true);
    expect(existsSync(join(cwd, '.quartermaster'))).toBe(false);
    first.child.kill('SIGTERM');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    const second = startCommand(['serve', '--port', '0'], { cwd });
    await second.until(LAST_LINE);
  });

  it('the sample catalog is the one that uploading its own text would give', async () => {
    const { url } = await startGateway();
    const sample = (await (await fetch(`${url}/v1/catalogs/sample`)).json()) as { hash: string; tools: unknown };
    const uploaded = await fetch(`${url}/v1/catalogs/copy`, {
      method: 'PUT',
      body: JSON.stringify({ tools: sample.tools }),
    });
    expect(await uploaded.json()).toMatchObject({ hash: sample.hash });
  });

  it('uses the next free port if the default one is taken', async () => {
    const cwd = temporaryFolder();
    const start = (args: readonly string[]): RunningCommand =>
      startCommand(['serve', '--store', ':memory:', ...args], { cwd });
    const [first, second] = [start([]), start([])];
    const ports = await Promise.all(
      [first, second].map(async (one) => /127\.0\.0\.1:(\d+)/.exec(await one.until(LAST_LINE))?.[1]),
    );
    expect(new Set(ports).size).toBe(2);
    const third = start(['--port', ports[0] ?? '']);
    expect(await third.ended).toEqual({ code: 69, signal: null });
    expect(third.err()).toContain(`127.0.0.1:${ports[0]} is taken by another program; choose a port with --port`);
  });
});

describe('quartermaster serve refuses', () => {
  it.each([
    ['to be open to all without keys', ['--host', '0.0.0.0'], 2, `key: \${QUARTERMASTER_KEY}`],
    ['settings that are not there', ['--config', 'missing.yaml'], 2, 'missing.yaml'],
    ['a store of another kind', ['--store', 'mysql://localhost/x'], 2, 'not mysql://'],
    ['a port that is none', ['--port', '70000'], 2, 'a whole number from 0 to 65535'],
    ['a store that can’t be opened', ['--store', '/dev/null/store.db'], 69, 'keep nothing with --store :memory:'],
    ['a store where no folder can be made', ['--store', '/dev/null/a/store.db'], 69, "mkdir '/dev/null/a'"],
    ['a store that is a folder', ['--store', '.'], 69, 'choose another with --store FILE'],
    ['a store that is something else', ['--store', THIS_FILE], 69, 'choose another with --store FILE'],
    ['an address of another machine', ['--host', '192.0.2.1'], 69, 'listen on 192.0.2.1:8787'],
  ])('%s', async (_, args, code, text) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'key.yaml'), 'keys: [{ name: me, key: secret }]\n');
    const settings = code === 69 ? ['--config', join(folder, 'key.yaml')] : [];
    const ended = await runCommand(['serve', '--store', ':memory:', ...settings, ...args], { XDG_DATA_HOME: folder });
    expect(ended.err).toContain(text);
    expect(ended.err).not.toContain('mistake in quartermaster');
    expect(ended).toMatchObject({ code, out: '' });
  });

  it.each([
    ['a file that is no store', (path: string) => writeFileSync(path, 'notes, which are no database')],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s, and leaves no key beside it', async (_, make) => {
    const folder = temporaryFolder();
    make(join(folder, 'other'));
    const ended = await runCommand(['serve', '--port', '0', '--store', join(folder, 'other')], {
      XDG_DATA_HOME: folder,
    });
    expect(ended.code).toBe(69);
    expect(readdirSync(folder)).toEqual(['other']);
  });
});

describe('quartermaster serve with settings', () => {
  it('requires a key if there are any, and says so in its examples', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'quartermaster.yaml'), `keys:\n  - name: me\n    key: \${QUARTERMASTER_KEY}\n`);
    const gateway = await startGateway(['--host', '0.0.0.0'], { cwd, env: { QUARTERMASTER_KEY: 'qm_secret' } });
    const line = curlLine(gateway);
    expect(line).toContain('-H "x-api-key: $QUARTERMASTER_KEY"');
    const { url, init } = readCurl(line);
    expect((await fetch(url, init)).status).toBe(401);
    const headers = { ...(init.headers as Record<string, string>), 'x-api-key': 'qm_secret' };
    expect(await (await fetch(url, { ...init, headers })).json()).toMatchObject(FLOW);
    expect(await runSdkLines(gateway, { QUARTERMASTER_KEY: 'qm_secret' })).toMatchObject(FLOW);
    expect(gateway.out() + gateway.err()).not.toContain('qm_secret');
  });

  it('serves the MCP servers of the client’s file at /mcp and as catalogs, and stops them on exit', async () => {
    const cwd = temporaryFolder();
    const script = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
    const mcpServers = { files: { command: process.execPath, args: [script, cwd] } };
    writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers }));
    const gateway = await startGateway(['--mcp-config', '.mcp.json'], { cwd });
    expect(gateway.out()).toContain(`${gateway.url}/mcp`);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)));
    const found = await client.callTool({ name: 'files__list_allowed_directories', arguments: {} });
    expect(JSON.stringify(found.content)).toContain(cwd);
    const catalogs = (await (await fetch(`${gateway.url}/v1/catalogs`)).json()) as { data: { name: string }[] };
    expect(catalogs.data.map(({ name }) => name)).toEqual(['sample', 'files', 'mcpServers']);
    expect(await gateway.until('files: ', 'err')).toMatch(/^files: \d+ tools$/m);
    await client.close();
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
  });

  it('applies the gate of the settings, and the context window of clients at /mcp', async () => {
    const cwd = temporaryFolder();
    const settings = {
      mcpServers: { reports: manyToolsServer(60) },
      mcp: { contextTokens: 8192 },
      tools: { tool_search: { enabled: 'auto' } },
    };
    // Every JSON text is YAML.
    writeFileSync(join(cwd, 'quartermaster.yaml'), JSON.stringify(settings));
    const gateway = await startGateway([], { cwd });
    expect(gateway.err()).toContain('(deferral: auto, since tools.tool_search is set)\n');
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
  });

  it('finishes a running stream at SIGTERM, even if the signal arrives twice at once', async () => {
    const upstream = await heldUpstream();
    const cwd = temporaryFolder();
    const settings = `upstreams:\n  - models: ["*"]\n    provider: anthropic\n    baseUrl: ${upstream.url}\n    apiKey: none\n`;
    writeFileSync(join(cwd, 'quartermaster.yaml'), settings);
    const gateway = await startGateway([], { cwd });
    expect(readCurl(curlLine(gateway)).url).toBe(`${gateway.url}/v1/messages`);
    expect(gateway.out()).toContain('console.log(await client.messages.create({"model":"MODEL",');

    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...ASK, stream: true }),
    });
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toContain('message_start');

    gateway.child.kill('SIGTERM');
    gateway.child.kill('SIGINT');
    await gateway.until('Stopping', 'err');
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
    upstream.finish();
    let rest = first;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      rest += new TextDecoder().decode(part.value);
    }
    expect(rest).toContain('the end');
    expect(rest).toContain('event: message_stop');
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
  });
});

const ASK = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };

/** A host that begins an answer, and finishes it when it is told to. */
async function heldUpstream(): Promise<{ readonly url: string; finish(): void }> {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(EVENTS.slice(0, 1).map(toEvent).join(''));
    waiting.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    finish() {
      for (const response of waiting) response.end(EVENTS.slice(1).map(toEvent).join(''));
    },
  };
}

function toEvent(data: { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const EVENTS = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'the end' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
