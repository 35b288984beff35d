import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type McpServerConfig } from './index.ts';
import { ask, calling } from './testing/ask.fixture.ts';
import { initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { echo, office } from './testing/servers.fixture.ts';

const hanging: McpServerConfig = { type: 'in-process', create: () => new Promise<never>(() => {}) };

/** A server that is not there before the model has been asked. */
function late(): { readonly server: McpServerConfig; arrive(): void } {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const { create } = createSdkMcpServer({ name: 'late', tools: [echo('water_plants', 'Waters the plants.')] });
  return { server: { type: 'in-process', create: async () => arrived.then(create) }, arrive };
}

/** A hook after which the server arrives, while the query goes on. */
function arriving(arrive: () => void): () => Promise<object> {
  return async () => {
    setImmediate(arrive);
    return {};
  };
}

describe('a server that hangs', () => {
  it('holds up neither the first message nor the tools of other servers', async () => {
    const { messages } = await ask(calling('mcp__office__send_mail', { text: 'x' }), {
      mcpServers: { hanging, office: office() },
      allowedTools: ['*'],
      startWaitMs: 500,
    });
    expect(initOf(messages).mcp_servers).toEqual([
      { name: 'hanging', status: 'pending' },
      { name: 'office', status: 'connected' },
    ]);
    expect(resultsIn(messages)[0]?.text).toBe('send_mail: x');
    expect(resultOf(messages).subtype).toBe('success');
  });

  it('does not hold up a search that finds something without it', async () => {
    const search = { calls: [{ name: 'tool_search', input: { query: 'send mail' } }] };
    const { upstream } = await ask([search, { text: 'Done.' }], {
      mcpServers: { hanging, office: office() },
      startWaitMs: 500,
    });
    expect(JSON.stringify(upstream.requests[1]?.messages)).toContain('send_mail');
  });
});

describe('a server that is slow', () => {
  it.each([
    ['by a search', { name: 'tool_search', input: { query: 'water the plants' } }],
    ['by its name', { name: 'mcp__late__water_plants', input: { text: 'roses' } }],
  ])('is waited for %s that nothing else answers', async (_how, call) => {
    const { server, arrive } = late();
    const turns = [{ calls: [call] }, ...calling('mcp__late__water_plants', { text: 'roses' })];
    const asked = ask(turns, {
      mcpServers: { late: server },
      allowedTools: ['*'],
      startWaitMs: 0,
      hooks: { UserPromptSubmit: [{ hooks: [arriving(arrive)] }] },
    });
    const { messages } = await asked;
    expect(initOf(messages)).toMatchObject({ mcp_servers: [{ name: 'late', status: 'pending' }], tools: [] });
    expect(resultsIn(messages).at(-1)?.text).toBe('water_plants: roses');
  });

  it('is waited for before the first request where there is no search', async () => {
    const { server, arrive } = late();
    const { upstream } = await ask([{ text: 'Done.' }], {
      mcpServers: { late: server },
      env: { ENABLE_TOOL_SEARCH: 'false' },
      startWaitMs: 0,
      hooks: { SessionStart: [{ hooks: [arriving(arrive)] }] },
    });
    expect(upstream.requests[0]?.tools).toMatchObject([{ name: 'mcp__late__water_plants' }]);
  });

  it('is waited for where its tools are always sent', async () => {
    const { server, arrive } = late();
    setImmediate(arrive);
    const { messages } = await ask([{ text: 'Done.' }], {
      mcpServers: { late: { ...server, alwaysLoad: true } },
      startWaitMs: 0,
    });
    expect(initOf(messages).tools).toEqual(['mcp__late__water_plants']);
  });
});
