import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { manyToolsServer } from '../many-tools-server.fixture.ts';
import { BIN, type RunningCommand, runCommand, startCommand, temporaryFolder } from '../running-command.fixture.ts';

const require = createRequire(import.meta.url);
const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

const HELLO = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

interface Started {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  readonly err: () => string;
}

/** The real client in front of the real program, as a client's configuration would start it. */
async function startProxy(folder: string, args: readonly string[] = []): Promise<Started> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', '--mcp-config', '.mcp.json', ...args],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: join(folder, 'data') },
    stderr: 'pipe',
  });
  let err = '';
  transport.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  const client = new Client({ name: 'test-client', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, transport, err: () => err };
}

/** A folder with a note, and a client's file that names a server for it, and ourselves. */
function project(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'note.txt'), 'remember the milk');
  const pid = join(folder, 'server.pid');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(pid)}, String(process.pid)); import(${JSON.stringify(FILESYSTEM)})`;
  const mcpServers = {
    files: { command: process.execPath, args: ['-e', script, 'server', folder] },
    quartermaster: { command: process.execPath, args: [BIN, 'mcp', '--mcp-config', '.mcp.json'] },
  };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  return folder;
}

function textOf(result: { readonly content?: unknown }): string {
  const [first] = (result.content ?? []) as { readonly text?: string }[];
  return first?.text ?? '';
}

async function names(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('quartermaster mcp', () => {
  it('serves a real server: the client searches and calls, and nothing keeps running', async () => {
    const folder = project();
    const { client, transport, err } = await startProxy(folder, ['--form', 'bridge']);
    expect(await names(client)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    const found = await client.callTool({ name: 'tool_search', arguments: { query: 'read the contents of a file' } });
    expect(textOf(found)).toContain('files__read_text_file');
    const read = { name: 'files__read_text_file', arguments: { path: join(folder, 'note.txt') } };
    const called = await client.callTool({ name: 'tool_call', arguments: read });
    expect(textOf(called)).toBe('remember the milk');
    expect(err()).toContain('quartermaster: skipped, because it is this proxy itself: quartermaster');
    expect(err().match(/^quartermaster: files: .*$/gm)).toEqual([expect.stringMatching(/: [1-9]\d* tools$/)]);

    const pids = [transport.pid ?? 0, Number(readFileSync(join(folder, 'server.pid'), 'utf8'))];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await client.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(existsSync(join(folder, 'data', 'quartermaster', 'store.db'))).toBe(true);
  });

  it('adds what was found to the list in the form "load"', async () => {
    const { client } = await startProxy(project(), ['--form', 'load']);
    expect(await names(client)).toEqual(['tool_search']);
    await client.callTool({ name: 'tool_search', arguments: { query: 'files__list_directory', limit: 1 } });
    expect(await names(client)).toEqual(['tool_search', 'files__list_directory']);
  });

  it.each([[[]], [['--form', 'inline']]])('shows few tools as they are with %j', async (args) => {
    const { client } = await startProxy(project(), args);
    const shown = await names(client);
    expect(shown).toContain('files__read_text_file');
    expect(shown).not.toContain('tool_search');
  });

  it.each([
    ['as they are with the window that is assumed', '', [], 60],
    ['behind a search with a small window in the settings', 'mcp: { contextTokens: 8192 }', [], 3],
    ['behind a search with a small window on the command line', '', ['--context', '8192'], 3],
    ['behind a search with a form in the settings', 'mcp: { form: bridge }', [], 3],
    ['as they are with another form on the command line', 'mcp: { form: bridge }', ['--form', 'inline'], 60],
    [
      'as they are where the command line says more than the settings',
      'mcp: { contextTokens: 8192 }',
      ['--context', '200000'],
      60,
    ],
  ])('shows 60 tools %s', async (_, settings, args, count) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { reports: manyToolsServer(60) } }));
    writeFileSync(join(folder, 'quartermaster.yaml'), settings);
    const { client } = await startProxy(folder, args);
    expect(await names(client)).toHaveLength(count);
  });

  it('knows the tools before it starts their server the second time', async () => {
    const folder = project();
    const first = await startProxy(folder, ['--form', 'inline']);
    const before = await names(first.client);
    await first.client.close();
    writeFileSync(join(folder, 'server.pid'), '');
    const second = await startProxy(folder, ['--form', 'inline']);
    expect(await names(second.client)).toEqual(before);
    expect(readFileSync(join(folder, 'server.pid'), 'utf8')).toBe('');
  });

  it.each([
    ['its client leaves', (child: RunningCommand['child']) => child.stdin.end()],
    ['it is told to, though its client is still there', (child: RunningCommand['child']) => child.kill('SIGTERM')],
  ])('exits with 0 when %s, stops its server, and writes only the protocol to stdout', async (_, leave) => {
    const folder = project();
    const command = startCommand(['mcp', '--mcp-config', '.mcp.json'], { cwd: folder });
    command.child.stdin.write(`${JSON.stringify(HELLO)}\n`);
    await command.until('"id":1');
    // The greeting waits for no server, so this one may still be starting.
    const server = await vi.waitFor(() => {
      const pid = Number(readFileSync(join(folder, 'server.pid'), 'utf8'));
      expect(pid > 0 && isAlive(pid)).toBe(true);
      return pid;
    }, 20_000);
    leave(command.child);
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(server)).toBe(false);
    const lines = command.out().trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).toEqual(lines.map(() => '2.0'));
  });

  it('continues without the default store, but fails without a configured one', async () => {
    const folder = project();
    writeFileSync(join(folder, 'data'), 'no folder');
    const { client, err } = await startProxy(folder);
    expect(await names(client)).toContain('files__read_text_file');
    expect(err()).toContain('continuing without a store');
    const asked = startCommand(['mcp', '--mcp-config', '.mcp.json', '--store', 'data/store.db'], { cwd: folder });
    expect(await asked.ended).toEqual({ code: 69, signal: null });
    expect(asked.out()).toBe('');
  });

  it.each([
    ['no servers', [], 'Name the file that your client keeps them in'],
    ['nothing but itself', ['--mcp-config', 'self.json'], 'it is this proxy itself: us'],
    ['a file that is not there', ['--mcp-config', 'missing.json'], 'missing.json'],
    ['an unknown form', ['--form', 'magic'], 'Allowed choices are bridge, load, inline'],
    ['a window that is none', ['--context', '-5'], 'Allowed: a whole number from 1000 to 100000000.'],
  ])('with %s says what to do, on stderr only', async (_, args, text) => {
    const folder = temporaryFolder();
    const us = { command: 'npx', args: ['-y', 'quartermaster@latest', 'mcp'] };
    writeFileSync(join(folder, 'self.json'), JSON.stringify({ mcpServers: { us } }));
    const paths = args.map((word) => (word.endsWith('.json') ? join(folder, word) : word));
    const ended = await runCommand(['mcp', ...paths], { XDG_DATA_HOME: folder });
    expect(ended.err).toContain(text);
    expect(ended).toMatchObject({ code: 2, out: '' });
  });
});

describe('unusable entries', () => {
  it('are named on stderr and in searches; the other servers are served', async () => {
    const folder = temporaryFolder();
    const mcpServers = {
      files: { command: process.execPath, args: [FILESYSTEM, folder], includeTools: ['read_text_file'] },
      unset: { command: 'run', env: { TOKEN: `\${NOT_SET}` } },
      socket: { type: 'ws', url: 'ws://127.0.0.1/mcp' },
      missing: { command: 'no-such-program-anywhere' },
    };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
    const { client, err } = await startProxy(folder, ['--form', 'bridge']);
    const found = textOf(await client.callTool({ name: 'tool_search', arguments: { query: 'read a text file' } }));
    expect(found).toContain('files__read_text_file');
    expect(found).not.toContain('files__write_file');
    for (const reason of ['NOT_SET', 'WebSocket', 'no-such-program-anywhere']) expect(found).toContain(reason);
    expect(err()).toMatch(/quartermaster: unset: not usable \(.*\.mcp\.json:1\): .*NOT_SET/);
    expect(err()).toMatch(/quartermaster: socket: not usable .*WebSocket/);
    expect(err()).toMatch(/quartermaster: missing: can't be reached: .*no-such-program-anywhere/);
  });
});

describe('settings that change', () => {
  const files = (folder: string) => ({ command: process.execPath, args: [FILESYSTEM, folder] });

  it('add and remove servers without a restart, and notify the client', async () => {
    const folder = temporaryFolder();
    const write = (mcpServers: object) => writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
    write({ files: files(folder) });
    const { client, err } = await startProxy(folder, ['--form', 'inline']);
    let told: () => void = () => {};
    client.setNotificationHandler('notifications/tools/list_changed', () => told());
    const changed = () => new Promise<void>((resolve) => (told = resolve));
    expect((await names(client)).some((name) => name.startsWith('more__'))).toBe(false);

    const added = changed();
    write({ files: files(folder), more: files(folder) });
    await added;
    expect(await names(client)).toContain('more__read_text_file');
    expect(err()).toContain('quartermaster: settings reloaded: added more');

    const removed = changed();
    write({ more: files(folder) });
    await removed;
    expect((await names(client)).some((name) => name.startsWith('files__'))).toBe(false);
  });

  it('are read again at SIGHUP; a broken file changes nothing', async () => {
    const folder = project();
    const command = startCommand(['mcp', '--mcp-config', '.mcp.json'], { cwd: folder });
    command.child.stdin.write(`${JSON.stringify(HELLO)}\n`);
    await command.until('"id":1');
    command.child.kill('SIGHUP');
    await command.until('settings reloaded: 1 server, as before', 'err');
    writeFileSync(join(folder, '.mcp.json'), '{ "mcpServers": {');
    command.child.kill('SIGHUP');
    await command.until('the servers are unchanged', 'err');
    command.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
    await command.until('"id":2');
  });
});

describe('quartermaster mcp input', () => {
  it('stores an answer encrypted, for one file only', async () => {
    const folder = temporaryFolder();
    const script = 'process.stderr.write("got " + process.env.TOKEN)';
    const text = JSON.stringify({
      inputs: [{ id: 'token', type: 'promptString', description: 'Your token', password: true }],
      servers: { tracker: { command: process.execPath, args: ['-e', script], env: { TOKEN: `\${input:token}` } } },
    });
    for (const file of ['mcp.json', 'other.json']) writeFileSync(join(folder, file), text);
    const env = { XDG_DATA_HOME: join(folder, 'data') };
    const at = (file: string) => ['--mcp-config', join(folder, file)];
    const answered = await runCommand(['mcp', 'input', 'token', ...at('mcp.json')], env, 'hunter2\n');
    expect(answered).toMatchObject({ code: 0, err: expect.stringContaining('1 answer stored encrypted') });
    expect(readFileSync(join(folder, 'data/quartermaster/store.db')).includes('hunter2')).toBe(false);

    const mine = startCommand(['mcp', ...at('mcp.json')], { cwd: folder });
    mine.child.stdin.write(`${JSON.stringify(HELLO)}\n`);
    await mine.until('got hunter2', 'err');
    const other = startCommand(['mcp', ...at('other.json')], { cwd: folder });
    expect(await other.until('tracker: not usable', 'err')).toContain('answer it once with: quartermaster mcp input');

    expect(await runCommand(['mcp', 'input', 'nope', ...at('mcp.json')], env)).toMatchObject({
      code: 2,
      err: 'There is no input "nope". Inputs: token\n',
    });
    expect((await runCommand(['mcp', 'input', '--forget', ...at('mcp.json')], env)).err).toBe('1 answer deleted.\n');
    expect((await runCommand(['mcp', 'input', ...at('mcp.json')], env, '')).err).toBe(
      'No answer to the input "token": run this in a terminal, or pipe the answer in\n',
    );
  });
});
