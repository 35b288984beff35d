import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHub, type InProcessSettings, type ServerSettings } from '../hub/index.ts';
import { type ClientLine, connectClient, createClient, PATIENT, textOf } from '../testing/clients.fixture.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { createProxy, type ProxyOptions } from './create-proxy.ts';
import type { McpProxy } from './mcp-proxy.ts';

const DEFERRING = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' as const } };

/** A server without tools that says how it wants to be used. */
function instructing(instructions: string): InProcessSettings {
  return {
    type: 'in-process',
    create: () => new McpServer({ name: 'instructing', version: '1' }, { instructions, capabilities: { tools: {} } }),
  };
}

function serve(servers: Readonly<Record<string, ServerSettings>>, options: Partial<ProxyOptions> = {}): McpProxy {
  const hub = createHub({ servers });
  const proxy = createProxy({ hub, waits: PATIENT, ...options });
  onTestFinished(async () => {
    await proxy.close();
    await hub.close();
  });
  return proxy;
}

async function instructionsFor(proxy: McpProxy, line: ClientLine = 'v2'): Promise<string | undefined> {
  const client = createClient(line);
  await connectClient(proxy, client, { isSole: true });
  return client.getInstructions();
}

describe('the instructions', () => {
  const mail = smallServer(() => ({ send: 'Send a mail', read: 'Read a mail' }));

  it.each<ClientLine>(['v1', 'v2', 'v2-modern'])(
    'tell a %s client what is behind, how to find it, what is missing, and what the servers say',
    async (line) => {
      const servers = { mail, rules: instructing('Always be brief.'), gone: { command: 'no-such-command-anywhere' } };
      expect(await instructionsFor(serve(servers, { settings: DEFERRING }), line)).toBe(
        [
          'Tools behind this server: mail (2). Find one with tool_search, then call it with tool_call. Search before you say that something is not possible.',
          'Not available now, at least in part:\ngone: its command "no-such-command-anywhere" was not found',
          'rules: Always be brief.',
        ].join('\n\n'),
      );
    },
  );

  it('do not mention a search if there is none', async () => {
    expect(await instructionsFor(serve({ mail, rules: instructing('Be brief.') }))).toBe('rules: Be brief.');
    expect(await instructionsFor(serve({ mail }))).toBeUndefined();
  });

  it('are bounded, and name what they leave out', async () => {
    const long = 'x'.repeat(5_000);
    const servers = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, instructing(long)]));
    const text = (await instructionsFor(serve(servers))) ?? '';
    expect(text.length).toBeLessThan(4_200);
    expect(text).toMatch(/x…\n\nb: x/);
    expect(text).toMatch(/\n\nThe instructions of d, e are left out\.$/);
  });

  it('cover only servers that the client may use', async () => {
    const proxy = serve({ rules: instructing('Be brief.'), secret: instructing('The password is 1234.') });
    const client = createClient('v2');
    await connectClient(proxy, client, { access: { permissions: { allow: ['rules/*'] } } });
    expect(client.getInstructions()).toBe('rules: Be brief.');
  });
});

describe('a client with a limit on tools', () => {
  const many = (count: number) =>
    smallServer(() => Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, 'Does it'])));

  it.each([
    ['cursor-vscode', 40, undefined, 40],
    ['cursor-vscode', 41, undefined, 3],
    ['cursor-vscode', 41, 'inline', 41],
    ['windsurf-client', 101, undefined, 3],
    ['Visual Studio Code', 128, undefined, 128],
    ['Visual Studio Code', 129, undefined, 3],
    ['another', 129, undefined, 129],
  ] as const)('%s with %i tools in the form %s lists %i', async (name, count, form, listed) => {
    const proxy = serve({ many: many(count) }, form === undefined ? {} : { form });
    for (const line of ['v2', 'v2-modern'] as const) {
      const client = createClient(line, {}, name);
      await connectClient(proxy, client);
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(listed);
      if (listed !== 3) continue;
      const found = await client.callTool({ name: 'tool_search', arguments: { query: 't7' } });
      expect(textOf(found)).toContain('many__t7');
    }
  });

  it('finds its tools with stateless requests', async () => {
    const proxy = serve({ many: many(41) });
    const client = createClient('v2-modern', {}, 'cursor-vscode');
    const fetch = (input: string | URL, init?: RequestInit) => proxy.fetch(new Request(input, init));
    await client.connect(new StreamableHTTPClientTransport(new URL('https://proxy.test/mcp'), { fetch }));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(3);
    const found = await client.callTool({ name: 'tool_search', arguments: { query: 't7' } });
    expect(textOf(found)).toContain('many__t7');
  });
});

describe('the mark that keeps our tools in the list of a client with a search of its own', () => {
  const MARK = { _meta: { 'anthropic/alwaysLoad': true } };

  async function toolsFor(name: string, options: Partial<ProxyOptions>): Promise<readonly object[]> {
    const proxy = serve({ mail: smallServer(() => ({ send: 'Send a mail' })) }, options);
    const client = createClient('v2', {}, name);
    await connectClient(proxy, client, { isSole: true });
    return (await client.listTools()).tools;
  }

  it.each([
    ['claude-code', 'auto', true],
    ['Claude Desktop', 'auto', true],
    ['cursor-vscode', 'auto', false],
    ['claudette', 'auto', false],
    ['cursor-vscode', 'always', true],
    ['claude-code', 'never', false],
  ] as const)('%s with %s: %s', async (name, alwaysLoad, isMarked) => {
    const tools = await toolsFor(name, { settings: DEFERRING, alwaysLoad });
    expect(tools).toHaveLength(3);
    for (const tool of tools) {
      if (isMarked) expect(tool).toMatchObject(MARK);
      else expect(tool).not.toHaveProperty('_meta');
    }
  });

  it('is absent if nothing is deferred', async () => {
    expect(await toolsFor('claude-code', {})).not.toMatchObject([MARK]);
  });

  it('is present for an unknown client', async () => {
    const proxy = serve({ mail: smallServer(() => ({ send: 'Send a mail' })) }, { settings: DEFERRING });
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    expect(await (await proxy.fetch(request)).text()).toContain('"anthropic/alwaysLoad":true');
  });
});
