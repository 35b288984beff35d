import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreLocation } from '@quartermaster/host/store';
import { beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../packages/host/src/store/embedded-postgres.fixture.ts';
import {
  type CallFate,
  type CountingUpstream,
  countingUpstream,
  searchesOf,
  type UpstreamCall,
} from './counting-upstream.fixture.ts';
import { createReplicas, type Replica, type Replicas } from './gateway-replicas.fixture.ts';

const ITEMS = Array.from({ length: 48 }, (_, index) => `item-${index}`);

/**
 * When a replica is killed: as its n-th call arrives upstream, or as its n-th answer leaves there, which may be before, during or
 * after the commit of what came back. A replica works on four items at a time, so that others are in flight at every moment.
 */
const KILLS: Readonly<Record<string, { readonly at: 'call' | 'answer'; readonly count: number }>> = {
  first: { at: 'call', count: 1 },
  second: { at: 'answer', count: 1 },
  third: { at: 'answer', count: 6 },
  fourth: { at: 'call', count: 9 },
};

/** Killed as it asks for the second time about one item: what it has paid for by then is not asked for again. */
const HALFWAY = 'halfway';

/** Gets no answer, so that it dies with exactly the items that it works on. */
const SILENCED = { name: 'silenced', held: 4 } as const;

let folder: string;
let postgres: TestPostgres;
let replicas: Replicas;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartermaster-kills-'));
  return () => rmSync(folder, { recursive: true, force: true });
});
beforeAll(async () => {
  postgres = await startPostgres();
  return () => postgres.stop();
});
beforeAll(async () => {
  replicas = await createReplicas();
  return () => replicas.stop();
});

interface Scene {
  readonly upstream: CountingUpstream;
  start(name: string): Promise<Replica>;
  /** Every lease that is not extended again runs out. */
  passLease(): void;
  stop(): Promise<void>;
}

async function setUp(location: StoreLocation): Promise<Scene> {
  const clockFile = join(mkdtempSync(join(folder, 'clock-')), 'now');
  let time = Date.parse('2026-11-01T00:00:00Z');
  writeFileSync(clockFile, String(time));
  const living = new Map<string, Replica>();
  /** To be killed: a replica may ask before it has told that it is there. */
  const doomed = new Set<string>();
  const kill = (name: string): void => {
    doomed.add(name);
    living.get(name)?.kill();
  };
  const strike = (at: 'call' | 'answer', { replica }: UpstreamCall, own: number): void => {
    const due = KILLS[replica];
    if (due?.at === at && due.count === own) kill(replica);
  };
  const upstream = await countingUpstream({
    onCall(call, own): CallFate {
      strike('call', call, own);
      if (call.replica === HALFWAY && call.round === 1) {
        kill(HALFWAY);
        return 'hold';
      }
      const isLast = KILLS[call.replica]?.at === 'call' && KILLS[call.replica]?.count === own;
      if (call.replica === SILENCED.name && own === SILENCED.held) kill(SILENCED.name);
      return isLast || call.replica === SILENCED.name ? 'hold' : 'answer';
    },
    onAnswer: (call, own) => strike('answer', call, own),
  });
  return {
    upstream,
    async start(name) {
      const replica = await replicas.start(name, { location, upstreamUrl: upstream.url, clockFile });
      living.set(name, replica);
      if (doomed.has(name)) replica.kill();
      return replica;
    },
    passLease() {
      time += 61_000;
      writeFileSync(clockFile, String(time));
    },
    stop: () => upstream.stop(),
  };
}

const TOOLS = [
  { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  { name: 'get_weather', description: 'Weather now', input_schema: { type: 'object' }, defer_loading: true },
];

interface BatchAnswer {
  readonly processing_status: string;
  readonly request_counts: Readonly<Record<string, number>>;
  readonly results_url: string | null;
}

function createBatch({ url }: Replica): Promise<Response> {
  const requests = ITEMS.map((item) => ({
    custom_id: item,
    params: { model: 'claude-test', max_tokens: 100, tools: TOOLS, messages: [{ role: 'user', content: item }] },
  }));
  return fetch(`${url}/v1/messages/batches`, { method: 'POST', body: JSON.stringify({ requests }) });
}

/** Asks for the only batch until it is as it should be. */
async function batchUntil({ url }: Replica, isDue: (batch: BatchAnswer) => boolean): Promise<BatchAnswer> {
  for (;;) {
    const response = await fetch(`${url}/v1/messages/batches`);
    const { data } = (await response.json()) as { readonly data: readonly BatchAnswer[] };
    const [batch] = data;
    if (batch !== undefined && isDue(batch)) return batch;
  }
}

describe.each<[string, () => Promise<StoreLocation>]>([
  ['SQLite', async () => ({ path: join(mkdtempSync(join(folder, 'store-')), 'store.db') })],
  ['PostgreSQL', () => postgres.createPlace()],
])('a batch on %s whose replicas are killed with SIGKILL', (_, place) => {
  it('has one result for every item, at the cost of one more call for each kill at which it was in flight', async () => {
    const { upstream, start, passLease, stop } = await setUp(await place());
    const first = await start('first');
    // It dies with its first call, perhaps before it has answered: the batch is in the store all the same.
    await Promise.allSettled([createBatch(first), first.ended]);
    passLease();
    for (const names of [['second', 'third'], ['fourth'], [HALFWAY]]) {
      const round = await Promise.all(names.map(start));
      expect(await Promise.all(round.map(({ ended }) => ended))).toEqual(names.map(() => 'SIGKILL'));
      passLease();
    }
    // One dies with four items in flight. The next to start takes them up at once: no lease has to run out.
    const silenced = await start(SILENCED.name);
    await silenced.ended;
    const survivor = await start('survivor');
    const batch = await batchUntil(survivor, ({ processing_status }) => processing_status === 'ended');

    const counts = { processing: 0, succeeded: ITEMS.length, errored: 0, canceled: 0, expired: 0 };
    expect(batch.request_counts).toEqual(counts);
    const text = await (await fetch(batch.results_url ?? '')).text();
    const lines = text.trimEnd().split('\n').map(readResult);
    expect(lines.map(({ item }) => item).sort()).toEqual([...ITEMS].sort());
    for (const { item, texts, searches, inputTokens } of lines) {
      const rounds = searchesOf(item) + 1;
      expect(searches).toBe(rounds - 1);
      expect(inputTokens).toBe(rounds * 10);
      const calls = upstream.calls.filter((call) => call.item === item);
      calls.forEach((call, index) => {
        const before = calls[index - 1];
        // Whoever goes on begins where the other one was when it was killed, or right behind; no one asks twice.
        const isHandedOver = before !== undefined && before.replica !== call.replica;
        if (isHandedOver) expect(before.replica).not.toBe('survivor');
        const expected =
          before === undefined ? [0] : isHandedOver ? [before.round, before.round + 1] : [before.round + 1];
        expect(expected).toContain(call.round);
      });
      // What was paid for is what is in the result: of each round the answer that was asked for last.
      const askers = texts.map((_, round) => calls.findLast((call) => call.round === round)?.replica);
      expect(texts).toEqual(askers.map((replica, round) => `${item} round ${round} by ${replica}`));
      expect(texts).toHaveLength(rounds);
    }
    // Someone was killed in the middle of something.
    const least = ITEMS.reduce((sum, item) => sum + searchesOf(item) + 1, 0);
    expect(upstream.calls.length).toBeGreaterThanOrEqual(least + SILENCED.held);
    // Someone went on in the middle of what another one had begun.
    const begun = upstream.calls.filter(
      ({ item, replica }, index) =>
        upstream.calls.findIndex((call) => call.item === item && call.replica === replica) === index,
    );
    expect(Math.max(...begun.map(({ round }) => round))).toBeGreaterThan(0);
    survivor.kill();
    await stop();
  }, 120_000);
});

interface ReadResult {
  readonly item: string;
  readonly texts: readonly string[];
  readonly searches: number;
  readonly inputTokens: number;
}

interface ResultLine {
  readonly custom_id: string;
  readonly result: {
    readonly type: string;
    readonly message: {
      readonly content: readonly { readonly type: string; readonly text?: string }[];
      readonly usage: { readonly input_tokens: number };
    };
  };
}

function readResult(line: string): ReadResult {
  const { custom_id: item, result } = JSON.parse(line) as ResultLine;
  expect(result.type).toBe('succeeded');
  const { content, usage } = result.message;
  return {
    item,
    texts: content.flatMap(({ text }) => text ?? []),
    searches: content.filter(({ type }) => type === 'tool_search_tool_result').length,
    inputTokens: usage.input_tokens,
  };
}
