import { describe, expect, it } from 'vitest';
import { sampleSnapshot } from '../disclosure/sample-tools.fixture.ts';
import { createToolbox, type Resolved } from '../dispatch/index.ts';
import { wordSearcher } from '../testing/index.ts';
import { type LoopOptions, runLoop } from './run-loop.ts';
import { type TinyPart, type TinyRequest, tinyWire } from './tiny-wire.fixture.ts';
import type { Wire } from './wire.ts';

const REQUEST: TinyRequest = { tools: [], messages: [{ role: 'user', text: 'Open an issue please' }] };
const END: TinyPart = { type: 'end', reason: 'end', tokens: 10 };
const CALLS: TinyPart = { type: 'end', reason: 'calls', tokens: 10 };
const [LOCAL, CLIENTS] = sampleSnapshot().tools;

const callOf = (tool: typeof LOCAL, id: string): TinyPart => {
  if (tool === undefined) throw new Error('The sample has two tools');
  return { type: 'call', id, name: sampleSnapshot().modelName(tool), piece: '{}' };
};

/** One response in which a tool of the sample is executed here. */
async function run(
  rounds: readonly (readonly TinyPart[])[],
  options: Partial<LoopOptions<TinyRequest, TinyPart>> = {},
): Promise<{ parts: TinyPart[]; requests: TinyRequest[]; executed: Resolved[] }> {
  const requests: TinyRequest[] = [];
  const executed: Resolved[] = [];
  const toolbox = createToolbox({
    tools: sampleSnapshot(),
    searcher: wordSearcher,
    settings: { rule: { kind: 'off' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
  });
  const loop = runLoop<TinyRequest, TinyPart>({
    ...{ wire: tinyWire, toolbox, plan: toolbox.plan(), request: REQUEST },
    async *upstream(request) {
      requests.push(request);
      yield* rounds[requests.length - 1] ?? [];
    },
    isLocal: (tool) => tool.id === LOCAL?.id,
    async execute(resolved) {
      executed.push(resolved);
      return { text: `done by ${resolved.id}`, isError: false };
    },
    ...options,
  });
  const parts: TinyPart[] = [];
  for await (const part of loop) parts.push(part);
  return { parts, requests, executed };
}

describe('calls that the loop executes', () => {
  it('are made inside the response, and the model is asked again with their results', async () => {
    const { parts, requests, executed } = await run([
      [callOf(LOCAL, 'c1'), callOf(LOCAL, 'c2'), CALLS],
      [{ type: 'text', text: 'Done' }, END],
    ]);
    expect(executed.map(({ id }) => id)).toEqual(['c1', 'c2']);
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1])).toMatch(/done by c1.*done by c2/);
    expect(parts.some((part) => part.type === 'call')).toBe(false);
    expect(parts.at(-1)).toEqual({ type: 'end', reason: 'end', tokens: 20 });
  });

  it.each([
    ['before', [callOf(LOCAL, 'c1'), callOf(CLIENTS, 'c2'), CALLS]],
    ['after', [callOf(CLIENTS, 'c2'), callOf(LOCAL, 'c1'), CALLS]],
  ])('are not made %s a call of the client’s, whose result comes first', async (_, round) => {
    const { parts, requests, executed } = await run([round]);
    expect(executed).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(parts.filter((part) => part.type === 'call')).toEqual([callOf(CLIENTS, 'c2')]);
  });

  it('run at once if the client is shown them, whatever else the round contains', async () => {
    const shown: Wire<TinyRequest, TinyPart> = {
      ...tinyWire,
      writer: (...given) => ({ ...tinyWire.writer(...given), shows: () => true }),
    };
    const { executed } = await run([[callOf(LOCAL, 'c1'), callOf(CLIENTS, 'c2'), CALLS]], { wire: shown });
    expect(executed.map(({ id }) => id)).toEqual(['c1']);
  });

  it('are passed to the client if its caller may not use the tool', async () => {
    const { executed, parts } = await run([[callOf(LOCAL, 'c1'), CALLS]], {
      caller: { allow: (tool) => tool.id !== LOCAL?.id },
    });
    expect(executed).toEqual([]);
    expect(parts.filter((part) => part.type === 'call')).toHaveLength(1);
  });
});
