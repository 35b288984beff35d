import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway } from './create-gateway.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';

const SEARCH = { type: 'tool_search_tool_bm25', name: 'tool_search_tool_bm25' };
const WORDS = 'list create delete invoice mail user report calendar branch deploy alert weather search archive'.split(
  ' ',
);
const MEBIBYTE = 1024 * 1024;

/** A list that no client has sent before. */
function toolsOf(size: number, number: number): readonly object[] {
  return Array.from({ length: size }, (_, at) => {
    const word = (step: number): string => WORDS[(at * step + number) % WORDS.length] ?? '';
    const properties = Object.fromEntries(
      [3, 5, 7].map((step) => [word(step), { type: 'string', description: `The ${word(step)} of the ${word(1)}` }]),
    );
    return {
      name: `${word(1)}_${word(3)}_${at}`,
      description: `Can ${word(5)} a ${word(7)} with the ${word(11)} of ${word(2)}, as of request ${number}.`,
      input_schema: { type: 'object', properties },
      defer_loading: true,
    };
  });
}

function gatewayWith(cacheBytes: number) {
  const rounds = () => [
    message([{ call: SEARCH.name, id: 'toolu_s', input: { query: 'create an invoice' } }], 'tool_use'),
    message([{ text: 'Done.' }], 'end_turn'),
  ];
  const gateway = createGateway({
    workerUrl: false,
    settings: { cacheBytes },
    upstreams: {
      // One for each request, so that nothing of any stays with it.
      resolve: (model) => scriptedUpstreams({ anthropic: rounds() }).resolve(model),
      models: async () => [],
    },
  });
  onTestFinished(() => gateway.close());
  const fetchText = async (path: string, init?: RequestInit): Promise<string> => {
    const response = await gateway.fetch(new Request(`http://127.0.0.1${path}`, init));
    return response.text();
  };
  const ask = (tools: readonly object[]): Promise<string> =>
    fetchText('/v1/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
        tools: [SEARCH, ...tools],
      }),
    });
  const counted = async (): Promise<number> =>
    Number(/^quartermaster_cache_bytes (\d+)/m.exec(await fetchText('/metrics'))?.[1]);
  return { ask, counted };
}

/** What is used after garbage collection. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('the memory of a gateway', () => {
  it('for lists of tools that never come again is what it counts', async () => {
    // One gateway for all: what another lets go in the meantime would be taken for its own.
    const { ask, counted } = gatewayWith(1024 * MEBIBYTE);
    let number = 0;
    const askMany = async (size: number, lists: number): Promise<void> => {
      for (const end = number + lists; number < end; number += 1) {
        expect(await ask(toolsOf(size, number))).toContain('Done.');
      }
    };
    for (const { size, lists } of [
      { size: 1, lists: 400 },
      { size: 10, lists: 150 },
      { size: 60, lists: 50 },
    ]) {
      await askMany(size, 20);
      const [before, countedBefore] = [await heldBytes(), await counted()];
      await askMany(size, lists);
      const taken = (await heldBytes()) - before;
      const told = (await counted()) - countedBefore;
      expect(taken, `${size} tools`).toBeLessThanOrEqual(told);
      expect(told, `${size} tools`).toBeLessThanOrEqual(taken * 3);
    }
  }, 120_000);

  it('is free again for what was let go', async () => {
    const { ask, counted } = gatewayWith(2 * MEBIBYTE);
    const fill = async (from: number): Promise<number> => {
      for (let number = from; number < from + 200; number += 1) await ask(toolsOf(10, number));
      expect(await counted()).toBeLessThanOrEqual(2 * MEBIBYTE);
      return heldBytes();
    };
    const before = await fill(0);
    // As many lists as would take eight times the budget.
    expect((await fill(200)) - before).toBeLessThan(2 * MEBIBYTE);
  }, 120_000);
});
