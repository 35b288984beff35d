import { chooseEngine } from '@quartermaster/host/search';
import { scripted } from '@quartermaster/host/upstream';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Options, type Query, query, type SDKUserMessage } from './index.ts';
import { collect, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { echo, office } from './testing/servers.fixture.ts';

function user(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
}

const shop = () => createSdkMcpServer({ name: 'shop', tools: [echo('refund_payment', 'Refunds a payment.')] });

interface Started {
  readonly running: Query;
  readonly upstream: ReturnType<typeof scripted<'anthropic'>>;
}

/** A query that has yielded its init. */
async function started(
  turns: Parameters<typeof scripted<'anthropic'>>[0]['turns'],
  options: Options = {},
): Promise<Started> {
  const upstream = scripted({ dialect: 'anthropic', turns });
  const given = { upstream, mcpServers: { office: office() }, persistSession: false, allowedTools: ['*'] };
  const running = query({ prompt: 'Do it', options: { ...given, ...options } });
  await running.next();
  return { running, upstream };
}

async function toolNames(running: Query): Promise<readonly string[]> {
  return (await running.getContextUsage()).mcpTools.map(({ name }) => name);
}

describe('setMcpServers', () => {
  it('adds servers whose tools can be called, and removes them again', async () => {
    const { running } = await started([
      { calls: [{ name: 'mcp__shop__refund_payment', input: { text: '7' } }] },
      { text: 'Done.' },
    ]);
    const servers = { shop: shop() };
    expect(await running.setMcpServers(servers)).toEqual({ added: ['shop'], removed: ['office'], errors: {} });
    expect(await running.setMcpServers(servers)).toEqual({ added: [], removed: [], errors: {} });
    expect(await running.mcpServerStatus()).toEqual([{ name: 'shop', status: 'connected' }]);
    expect(resultsIn(await collect(running))).toEqual([{ text: 'refund_payment: 7', isError: false }]);
  });

  it('keeps processes and addresses of the options unless they are named, and says which can’t be used', async () => {
    const broken = { type: 'in-process' as const, create: () => Promise.reject(new Error('no such place')) };
    const { running } = await started([], { mcpServers: { broken } });
    expect(await running.setMcpServers({ other: { ...broken } })).toMatchObject({
      added: ['other'],
      removed: [],
      errors: { other: expect.stringContaining('no such place') },
    });
    expect((await running.mcpServerStatus()).map(({ name }) => name)).toEqual(['broken', 'other']);
    await running.close();
  });
});

describe('toggleMcpServer and reconnectMcpServer', () => {
  it('end a server and start it again', async () => {
    const { running } = await started([]);
    await running.toggleMcpServer('office', false);
    expect(await running.mcpServerStatus()).toEqual([{ name: 'office', status: 'disabled' }]);
    expect(await toolNames(running)).toEqual([]);
    await expect(running.reconnectMcpServer('office')).rejects.toThrow('is disabled');
    await running.toggleMcpServer('office', true);
    await running.reconnectMcpServer('office');
    expect(await running.mcpServerStatus()).toEqual([{ name: 'office', status: 'connected' }]);
    expect(await toolNames(running)).toHaveLength(3);
    await expect(running.toggleMcpServer('none', true)).rejects.toThrow('There is no MCP server "none"');
    await running.close();
  });

  it('reject where the server can’t be used', async () => {
    let isUp = true;
    const { create } = office();
    const flaky = {
      type: 'in-process' as const,
      create: () => {
        if (isUp) return create();
        throw new Error('gone');
      },
    };
    const { running } = await started([], { mcpServers: { flaky } });
    isUp = false;
    await expect(running.reconnectMcpServer('flaky')).rejects.toThrow('"flaky" can\'t be used: ');
    await running.close();
  });
});

describe('streamInput', () => {
  it('takes further prompts in the same conversation', async () => {
    const { running, upstream } = await started([{ text: 'One.' }, { text: 'Two.' }]);
    const taken = running.streamInput(
      (async function* () {
        yield user('And then?');
      })(),
    );
    const messages = await collect(running);
    await taken;
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(2);
    expect(resultOf(messages)).toMatchObject({ result: 'Two.' });
    expect(JSON.stringify(upstream.requests[1]?.messages)).toMatch(/Do it.*One\..*And then\?/);
    await expect(running.streamInput((async function* () {})())).rejects.toThrow('The query has ended');
  });

  it('rejects for prompts that the query’s end has left behind', async () => {
    const { running } = await started([{ text: 'One.' }]);
    const taken = running.streamInput(
      (async function* () {
        yield user('And then?');
      })(),
    );
    await running.close();
    await expect(taken).rejects.toThrow('ended before all prompts were read');
  });
});

describe('what a query can be asked', () => {
  it('the models, the agents and the commands that there are', async () => {
    const agents = { cook: { description: 'Cooks.', prompt: 'Cook.', model: 'inherit' } };
    const { running } = await started([], { agents, model: 'claude-test' });
    expect(await running.supportedModels()).toEqual([
      { value: 'claude-test', displayName: 'claude-test', description: 'The model of this query' },
    ]);
    expect(await running.supportedAgents()).toEqual([{ name: 'cook', description: 'Cooks.', model: 'inherit' }]);
    expect(await running.supportedCommands()).toEqual([]);
    await running.close();
  });

  it('what the window is filled with: found tools are loaded, the others deferred', async () => {
    const search = { calls: [{ name: 'tool_search', input: { query: 'get_weather', limit: 1 } }] };
    const { running } = await started([search, { text: 'Found.' }], {
      contextTokens: 10_000,
      systemPrompt: 'Be brief.',
    });
    const before = await running.getContextUsage();
    expect(before.mcpTools.map(({ isLoaded }) => isLoaded)).toEqual([false, false, false]);
    await running.next();
    const after = await running.getContextUsage();
    expect(after.mcpTools.filter(({ isLoaded }) => isLoaded).map(({ name }) => name)).toEqual([
      'mcp__office__get_weather',
    ]);
    expect(after.totalTokens).toBeGreaterThan(before.totalTokens);
    const used = after.categories.filter(({ kind }) => kind === 'used').reduce((sum, { tokens }) => sum + tokens, 0);
    expect(after).toMatchObject({ totalTokens: used, maxTokens: 10_000 });
    const { engine, reason } = await chooseEngine({ engine: 'auto' });
    expect(after.toolSearch).toEqual({ engine, reason, deferral: expect.stringMatching(/./) });
    await running.close();
  });

  it('nothing of a session before it runs', async () => {
    const running = query({ prompt: 'x' });
    await expect(running.getContextUsage()).rejects.toThrow('getContextUsage() needs a running query');
    await expect(running.setMcpServers({})).rejects.toThrow('setMcpServers() needs a running query');
  });
});
