import type { Client } from '@modelcontextprotocol/client';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHub } from '../hub/index.ts';
import { connectClient, createClient, textOf } from '../testing/clients.fixture.ts';
import { type ManualClock, manualClock } from '../testing/manual-clock.fixture.ts';
import { smallServer } from '../testing/small-server.fixture.ts';
import { createProxy, type ProxyGuard } from './create-proxy.ts';

const NOUNS = ['invoice', 'contract', 'meeting', 'ticket', 'branch', 'photo', 'recipe', 'flight'];
const VERBS = ['create', 'delete', 'archive', 'export'];

interface SearchAnswer {
  readonly matches: readonly string[];
  readonly hint?: string;
}

interface Connection {
  readonly client: Client;
  readonly clock: ManualClock;
  search(query: string, limit?: number): Promise<SearchAnswer>;
  call(name: string, input?: object): Promise<string>;
}

/** A client on one connection that lasts, in front of 32 tools, with a clock that the test moves. */
async function connect(guard?: ProxyGuard): Promise<Connection> {
  const tools = Object.fromEntries(
    NOUNS.flatMap((noun) => VERBS.map((verb) => [`${verb}_${noun}`, `${verb} one ${noun} of the office`])),
  );
  const hub = createHub({ servers: { office: smallServer(() => tools) } });
  const clock = manualClock();
  const settings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' as const } };
  const proxy = createProxy({ hub, settings, clock, ...defined({ guard }) });
  onTestFinished(async () => {
    await proxy.close();
    await hub.close();
  });
  const client = createClient('v2');
  await connectClient(proxy, client, { isSole: true });
  const call = async (name: string, input: object = {}): Promise<string> =>
    textOf(await client.callTool({ name, arguments: { ...input } }));
  const search = async (query: string, limit?: number): Promise<SearchAnswer> =>
    JSON.parse(await call('tool_search', { query, ...defined({ limit }) }));
  return { client, clock, call, search };
}

const minutes = (count: number): number => count * 60_000;

describe('a connection that lasts', () => {
  it('answers every good search among 5,000 mixed calls over days', { timeout: 120_000 }, async () => {
    const { clock, call, search } = await connect();
    const begun = clock.now();
    const refused: string[] = [];
    const expectFound = async (query: string, name: string, limit?: number): Promise<void> => {
      const told = await search(query, limit);
      const isFound = told.matches.some((match) => match.startsWith(`${name}(`));
      if (!isFound || /Do not search|searching ends/.test(told.hint ?? '')) refused.push(`${query}: ${told.hint}`);
    };
    for (let count = 0; count < 5_000; count += 1) {
      const noun = NOUNS[count % NOUNS.length] ?? '';
      const verb = VERBS[Math.floor(count / 7) % VERBS.length] ?? '';
      const name = `office__${verb}_${noun}`;
      // Long stretches without a call, as of several subagents that only look.
      switch (Math.floor(count / 60) % 5) {
        case 0:
          await expectFound(`${verb} ${noun}`, name);
          break;
        case 1:
          // Nothing fits, again and again.
          await search(`zzqx${count}`);
          break;
        case 2:
          await expectFound('create invoice', 'office__create_invoice', 1 + (count % 20));
          break;
        case 3:
          if (count % 3 === 0) await call('tool_call', { name, arguments: { text: 'x' } });
          else await expectFound(`${verb} one ${noun} number ${count}`, name);
          break;
        default:
          if (count % 2 === 0) await call('tool_describe', { name });
          else await expectFound(`${verb} ${noun}`, name);
      }
      clock.advance(count % 100 === 0 ? minutes(120) : 5_000);
    }
    expect(refused).toEqual([]);
    expect(clock.now() - begun).toBeGreaterThan(minutes(60 * 24 * 3));
  });

  it('hints at a repeat, and forgets it after ten minutes', async () => {
    const { clock, search } = await connect();
    expect((await search('create invoice')).hint).toBeUndefined();
    clock.advance(minutes(9));
    expect((await search('create invoice')).hint).toContain('You made this search before.');
    clock.advance(minutes(11));
    expect((await search('create invoice')).hint).toBeUndefined();
  });

  it('takes a larger limit for another search', async () => {
    const { search } = await connect();
    await search('create invoice', 1);
    const more = await search('create invoice', 6);
    expect(more.matches.length).toBeGreaterThan(1);
    expect(more.hint).toBeUndefined();
  });

  it('refuses only repeats if configured, and forgets those too, however often it refused', async () => {
    const { clock, search } = await connect({ mode: 'stop-repeats' });
    for (let count = 0; count < 30; count += 1) await search(`zzqx${count}`);
    for (let count = 0; count < 3; count += 1) expect((await search('create invoice')).matches).not.toEqual([]);
    for (let count = 0; count < 5; count += 1) {
      clock.advance(minutes(2));
      expect(await search('create invoice')).toEqual({ matches: [], hint: expect.stringMatching(/3 times already/) });
    }
    clock.advance(minutes(1));
    expect((await search('create invoice')).matches).not.toEqual([]);
  });

  it('adds nothing if it is off', async () => {
    const { search } = await connect({ mode: 'off' });
    for (let count = 0; count < 4; count += 1) expect((await search('create invoice')).hint).toBeUndefined();
  });
});
