import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rehearsal as rehearsalOf } from '@quartermaster/host/upstream';
import { type AnthropicRequest, writeNamedEvent } from '@quartermaster/wires/anthropic';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  createMemorySessionStore,
  createSdkMcpServer,
  type Options,
  query,
  rehearsal,
  type SDKMessage,
  tool,
} from './index.ts';
import { collect } from './testing/collect.fixture.ts';

const home = process.cwd();

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.chdir(home);
});

describe('with the mock model', () => {
  it('the agent SDK’s example of custom tools runs with only its import changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'custom-tools-'));
    process.chdir(folder);
    const weather: string[] = [];
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-test');
    vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      if (new URL(request.url).hostname === 'api.open-meteo.com') {
        weather.push(request.url);
        return Response.json({ current: { temperature_2m: 61 } });
      }
      const body = (await request.json()) as AnthropicRequest;
      const events: string[] = [];
      for await (const event of rehearsalOf('anthropic').stream(body, request.signal))
        events.push(writeNamedEvent(event));
      return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
    });
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      await import('./testing/custom-tools-example.fixture.ts');
      expect(weather).toHaveLength(1);
      expect(log.mock.calls[0]?.[0]).toContain('Temperature: 61°F');
    } finally {
      process.chdir(home);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a session is compacted, resumed and forked, and its tools are found again each time', async () => {
    let calls = 0;
    const report = tool(
      'read_report',
      'Reads the yearly report of the shop',
      { year: z.number().optional() },
      async () => {
        calls += 1;
        return { content: [{ type: 'text', text: `Report ${calls}: ${'sold much and bought little '.repeat(120)}` }] };
      },
    );
    const others = ['send_mail', 'book_room', 'print_label', 'order_paper'].map((name) =>
      tool(name, `Does ${name.replace('_', ' ')}`, {}, async () => ({ content: [] })),
    );
    const sessions = createMemorySessionStore();
    const run = async (options: Options, ...texts: readonly string[]): Promise<readonly SDKMessage[]> => {
      const shop = createSdkMcpServer({ name: 'shop', tools: [report, ...others] });
      const base: Options = {
        upstream: rehearsal(),
        sessions,
        contextTokens: 4_000,
        mcpServers: { shop },
        allowedTools: ['*'],
      };
      const prompt = (async function* () {
        for (const content of texts) {
          yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' } as const;
        }
      })();
      return collect(query({ prompt, options: { ...base, ...options } }));
    };
    const isCompacted = (messages: readonly SDKMessage[]): boolean =>
      messages.some((message) => message.type === 'system' && message.subtype === 'compact_boundary');
    const last = (messages: readonly SDKMessage[]): SDKMessage | undefined => messages.at(-1);

    const ask = 'Read the yearly report of the shop';
    const first = await run({}, ask, ask, ask, ask);
    expect(isCompacted(first)).toBe(true);
    expect(last(first)).toMatchObject({ type: 'result', subtype: 'success' });
    expect(calls).toBe(4);
    const id = last(first)?.session_id ?? '';

    const resumed = await run({ resume: id }, ask);
    expect(last(resumed)).toMatchObject({ subtype: 'success', session_id: id });
    expect(calls).toBe(5);

    const forked = await run({ resume: id, forkSession: true }, ask);
    expect(last(forked)).toMatchObject({ subtype: 'success' });
    expect(last(forked)?.session_id).not.toBe(id);
    expect(calls).toBe(6);
    const again = await run({ resume: id }, ask);
    expect(last(again)).toMatchObject({ subtype: 'success', session_id: id });
  });
});
