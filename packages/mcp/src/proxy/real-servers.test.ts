import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { readTold } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHub, type Hub } from '../hub/index.ts';
import { type ClientLine, connectClient, createClient, PATIENT, textOf } from '../testing/clients.fixture.ts';
import { realServer } from '../testing/real-servers.fixture.ts';
import { createProxy, type ProxyOptions } from './create-proxy.ts';
import type { McpProxy } from './mcp-proxy.ts';

let folder: string;
let hub: Hub;
const proxies: McpProxy[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quartermaster-mcp-'));
  await writeFile(join(folder, 'note.txt'), 'remember the milk');
  await promisify(execFile)('git', ['init', '-q', folder]);
  hub = createHub({
    servers: {
      everything: realServer('everything'),
      filesystem: realServer('filesystem', [folder]),
      memory: realServer('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.json') }),
      thinking: realServer('sequential-thinking'),
      git: realServer('git', [], { MCP_LOG_LEVEL: 'error', LOGS_DIR: join(folder, 'logs') }),
    },
  });
  await hub.start();
});

afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await hub.close();
  await rm(folder, { recursive: true, force: true });
});

const DEFERRING = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' as const } };

async function connect(line: ClientLine, options: Partial<ProxyOptions>): Promise<Client> {
  const proxy = createProxy({ hub, waits: PATIENT, ...options });
  proxies.push(proxy);
  const client = createClient(line);
  await connectClient(proxy, client);
  return client;
}

async function names(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name);
}

describe('a hub over real servers', () => {
  it('has all their tools, and no findings', () => {
    expect(hub.snapshot().servers).toEqual(['everything', 'filesystem', 'memory', 'thinking', 'git']);
    expect(hub.snapshot().tools.length).toBeGreaterThan(60);
    expect(hub.unavailable()).toEqual([]);
    expect(hub.status().map(({ noise }) => noise.count)).toEqual([0, 0, 0, 0, 0]);
    expect(hub.status().flatMap(({ problems, suspicions }) => [...problems, ...suspicions])).toEqual([]);
  });
});

describe('calls at real servers', () => {
  it.each([
    ['git/git_status', () => ({ path: folder }), 'branch'],
    [
      'thinking/sequentialthinking',
      () => ({ thought: 'x', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
      'thoughtNumber',
    ],
  ] as const)('%s answers', async (id, args, part) => {
    const tool = hub.snapshot().get(id);
    if (tool === undefined) throw new Error('no tool');
    const result = await hub.call({ tool, arguments: args() });
    expect(result.isError ?? false).toBe(false);
    expect(JSON.stringify(result).toLowerCase()).toContain(part.toLowerCase());
  });
});

describe.each<ClientLine>(['v1', 'v2', 'v2-modern'])('a proxy over real servers with a %s client', (line) => {
  it('in the bridge form finds a tool, describes it and calls it', async () => {
    const client = await connect(line, { settings: DEFERRING });
    expect(await names(client)).toEqual(['tool_search', 'tool_describe', 'tool_call']);

    const found = await client.callTool({
      name: 'tool_search',
      arguments: { query: 'read the contents of a text file' },
    });
    expect(readTold(textOf(found))).toContain('filesystem__read_text_file');

    const described = await client.callTool({ name: 'tool_describe', arguments: { name: 'git__git_status' } });
    expect(JSON.parse(textOf(described))).toMatchObject({ name: 'git__git_status', parameters: { type: 'object' } });

    const path = join(folder, 'note.txt');
    const read = { name: 'filesystem__read_text_file', arguments: { path } };
    const called = await client.callTool({ name: 'tool_call', arguments: read });
    expect(called).toMatchObject({
      content: [{ type: 'text', text: 'remember the milk' }],
      structuredContent: { content: 'remember the milk' },
    });
  });

  it('runs several wrapped calls at once, at several servers', async () => {
    const client = await connect(line, { settings: DEFERRING });
    const result = await client.callTool({
      name: 'tool_call',
      arguments: {
        calls: [
          { name: 'everything__get-sum', arguments: { a: 2, b: 3 } },
          { name: 'memory__read_graph', arguments: {} },
          { name: 'filesystem__read_text_file', arguments: { path: join(folder, 'missing.txt') } },
        ],
      },
    });
    const texts = (result.content as { text: string }[]).map((block) => block.text);
    expect(texts[0]).toBe('everything__get-sum:');
    expect(texts[1]).toContain('5');
    expect(texts).toContain('memory__read_graph:');
    expect(texts).toContain('filesystem__read_text_file (failed):');
    expect(result.isError).toBeUndefined();
  });

  it('in the load form adds what was found to the list, and serves what was not', async () => {
    const client = await connect(line, { settings: DEFERRING, form: 'load' });
    let changes = 0;
    client.fallbackNotificationHandler = async ({ method }) => {
      if (method === 'notifications/tools/list_changed') changes += 1;
    };
    expect(await names(client)).toEqual(['tool_search']);
    await client.callTool({ name: 'tool_search', arguments: { query: 'filesystem__list_directory', limit: 1 } });
    expect(await names(client)).toEqual(['tool_search', 'filesystem__list_directory']);
    if (line !== 'v2-modern') expect(changes).toBe(1);

    const listed = await client.callTool({ name: 'filesystem__list_directory', arguments: { path: folder } });
    expect(textOf(listed)).toContain('note.txt');
    const sum = await client.callTool({ name: 'everything__get-sum', arguments: { a: 1, b: 1 } });
    expect(textOf(sum)).toContain('2');
  });

  it('below the threshold passes everything through', async () => {
    const client = await connect(line, { form: 'inline' });
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(hub.snapshot().tools.length);
    const path = join(folder, `written by ${line}.txt`);
    await client.callTool({ name: 'filesystem__write_file', arguments: { path, content: 'hello' } });
    expect(await readFile(path, 'utf8')).toBe('hello');
  });

  it('shows pinned tools beside the bridge', async () => {
    const client = await connect(line, { settings: { ...DEFERRING, pins: ['memory/*'] } });
    const shown = await names(client);
    expect(shown.slice(0, 3)).toEqual(['tool_search', 'tool_describe', 'tool_call']);
    expect(shown.slice(3)).toContain('memory__read_graph');
    const graph = await client.callTool({ name: 'memory__read_graph', arguments: {} });
    expect(graph.structuredContent).toMatchObject({ entities: [] });
  });
});
