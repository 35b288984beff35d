import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import type { GatewayOptions } from '../gateway-options.ts';
import { sessionServer, type TakeOver } from '../mcp/mcp-servers.fixture.ts';
import { runningGateway } from '../running-gateway.fixture.ts';
import { message, scriptedUpstreams, upstreamError } from '../scripted-upstream.fixture.ts';
import { ASK } from '../weather-request.fixture.ts';
import { CONTACTS, methodsOf, serverAt, THIS_MACHINE, toolset, until } from './connector.fixture.ts';

const NEVER = [new Promise<never>(() => undefined)];
const FAILURE = [upstreamError(529, { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } })];
const TELL = message([{ text: 'There they are.' }], 'end_turn');
/** Longer than a listing is believed. */
const AFTERWARDS_MS = 120_000;

const look = (name: string) =>
  message([{ call: 'crm_search_contacts', id: `toolu_${name}`, input: { name } }], 'tool_use');

/** A server whose sessions can be counted, and seen to end. Each call to it takes a while. */
async function contacts(answer: TakeOver = () => undefined) {
  const clock = manualClock();
  const ended: Promise<void>[] = [];
  const parted: string[] = [];
  const run = ({ name }: { name: string }) => {
    clock.pass(AFTERWARDS_MS);
    return `Found ${name}`;
  };
  const tools = { search_contacts: { ...CONTACTS.search_contacts, run: run as () => string } };
  const crm = await sessionServer(tools, (request, method) => {
    // A session's own stream, on which the server may speak at any time.
    if (request.method === 'GET') ended.push(aborted(request.signal));
    if (request.method === 'DELETE') parted.push(request.headers.get('mcp-session-id') ?? '');
    return answer(request, method);
  });
  const gateway = (options: GatewayOptions) =>
    runningGateway({ connector: { ...THIS_MACHINE, connectTimeoutMs: 60_000 }, clock, ...options });
  return { crm, clock, ended, parted, gateway };
}

/** Time that passes when it is told to; what waits for it can be run ahead of it. */
function manualClock() {
  let time = Date.now();
  const waiting = new Set<() => void>();
  return {
    now: () => time,
    pass(ms: number) {
      time += ms;
    },
    after(_: number, run: () => void) {
      waiting.add(run);
      return () => void waiting.delete(run);
    },
    ring() {
      const due = [...waiting];
      waiting.clear();
      for (const run of due) run();
    },
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

async function createOne(anthropic: Anthropic, url: string): Promise<string> {
  const { model, max_tokens, messages } = ASK;
  const params = { model, max_tokens, messages, tools: [toolset()], mcp_servers: [serverAt(url)] };
  return (await anthropic.beta.messages.batches.create({ requests: [{ custom_id: 'a', params }] })).id;
}

async function resultOf(anthropic: Anthropic, id: string): Promise<{ readonly type: string }> {
  while ((await anthropic.beta.messages.batches.retrieve(id)).processing_status !== 'ended');
  for await (const { result } of await anthropic.beta.messages.batches.results(id)) return result;
  throw new Error('The batch has no result');
}

describe('an item of a batch with servers', () => {
  it('connects to one once, however many rounds it has and however long they take', async () => {
    const { crm, gateway } = await contacts();
    const upstreams = scriptedUpstreams({ anthropic: [look('Ada'), look('Bob'), TELL] });
    const { anthropic } = await gateway({ upstreams });
    const result = await resultOf(anthropic, await createOne(anthropic, crm.url));
    expect(result).toMatchObject({
      type: 'succeeded',
      message: {
        content: [
          ...[{ type: 'mcp_tool_use' }, { type: 'mcp_tool_result', content: [{ text: 'Found Ada' }] }],
          ...[{ type: 'mcp_tool_use' }, { type: 'mcp_tool_result', content: [{ text: 'Found Bob' }] }],
          { type: 'text' },
        ],
      },
    });
    expect(crm.sessions.size).toBe(1);
    expect(methodsOf(crm).filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  it.each([
    ['succeeded', TELL],
    ['errored', FAILURE],
  ])('leaves the server when it has %s', async (type, last) => {
    const { crm, ended, parted, gateway } = await contacts();
    const { anthropic } = await gateway({ upstreams: scriptedUpstreams({ anthropic: [look('Ada'), last] }) });
    expect(await resultOf(anthropic, await createOne(anthropic, crm.url))).toMatchObject({ type });
    await Promise.all(ended);
    await until(() => parted.length > 0);
    expect([crm.sessions.size, ended.length]).toEqual([1, 1]);
    expect(parted).toEqual([...crm.sessions]);
  });

  it('leaves the server when it is cancelled', async () => {
    const { crm, clock, ended, gateway } = await contacts();
    const upstreams = scriptedUpstreams({ anthropic: [look('Ada'), NEVER] });
    const { anthropic } = await gateway({ upstreams });
    const id = await createOne(anthropic, crm.url);
    await until(() => upstreams.requests.length === 2);
    await anthropic.beta.messages.batches.cancel(id);
    clock.ring();
    expect(await resultOf(anthropic, id)).toEqual({ type: 'canceled' });
    await Promise.all(ended);
    expect(ended).toHaveLength(1);
  });

  it('is cancelled though the server never answers', async () => {
    const hungUp: Promise<void>[] = [];
    const { crm, clock, gateway } = await contacts((request, method) => {
      if (method !== 'initialize') return undefined;
      hungUp.push(aborted(request.signal));
      return new Promise(() => undefined);
    });
    const { anthropic } = await gateway({ upstreams: scriptedUpstreams({}) });
    const id = await createOne(anthropic, crm.url);
    await until(() => hungUp.length === 1);
    await anthropic.beta.messages.batches.cancel(id);
    clock.ring();
    expect(await resultOf(anthropic, id)).toEqual({ type: 'canceled' });
    await Promise.all(hungUp);
    expect(crm.sessions.size).toBe(0);
  });

  it('connects once more where the server has forgotten it between two rounds', async () => {
    const known: { session?: string } = {};
    const { crm, gateway } = await contacts((request, method) => {
      const session = request.headers.get('mcp-session-id');
      if (method !== 'tools/call' || session === null) return undefined;
      // Of the first session the server knows the first call alone.
      const isForgotten = session === known.session;
      known.session ??= session;
      return isForgotten ? new Response('Session not found', { status: 404 }) : undefined;
    });
    const upstreams = scriptedUpstreams({ anthropic: [look('Ada'), look('Bob'), look('Eve'), TELL] });
    const { anthropic } = await gateway({ upstreams });
    const result = await resultOf(anthropic, await createOne(anthropic, crm.url));
    const { content } = (result as unknown as { message: { content: { type: string; is_error?: boolean }[] } }).message;
    const told = content.filter(({ type }) => type === 'mcp_tool_result');
    expect(told.map((block) => block.is_error)).toEqual([false, false, false]);
    expect(crm.sessions.size).toBe(2);
  });

  it('connects once more where another gateway goes on with it', async () => {
    const { crm, ended, gateway } = await contacts();
    const first = scriptedUpstreams({ anthropic: [look('Ada'), NEVER] });
    const second = scriptedUpstreams({ anthropic: [look('Bob'), look('Eve'), TELL] });
    const idle = await gateway({ upstreams: second, settings: { batchConcurrency: 0 } });
    const { store } = idle;
    const stopping = await gateway({ upstreams: first, store });
    const id = await createOne(stopping.anthropic, crm.url);
    await until(() => first.requests.length === 2);
    await stopping.stop();
    await Promise.all(ended);
    const { anthropic } = await gateway({ upstreams: second, store });
    expect(await resultOf(anthropic, id)).toMatchObject({ type: 'succeeded' });
    expect(crm.sessions.size).toBe(2);
    expect(methodsOf(crm).filter((method) => method === 'tools/call')).toHaveLength(3);
  });
});
