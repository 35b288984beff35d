import { describe, expect, it } from 'vitest';
import { sampleSnapshot } from '../disclosure/sample-tools.fixture.ts';
import { type Call, createToolbox, type Toolbox, type ToolboxOptions } from '../dispatch/index.ts';
import type { Searcher } from '../search/index.ts';
import { wordSearcher } from '../testing/index.ts';
import { runLoop, runWhole } from './run-loop.ts';
import { type TinyPart, type TinyRequest, tinyWire } from './tiny-wire.fixture.ts';
import type { Upstream, Wire } from './wire.ts';

const REQUEST: TinyRequest = { tools: [], messages: [{ role: 'user', text: 'Open an issue please' }] };
const END: TinyPart = { type: 'end', reason: 'end', tokens: 10 };
const CALLS: TinyPart = { type: 'end', reason: 'calls', tokens: 10 };
const TEXT: TinyPart = { type: 'text', text: 'Hello' };

function searchFor(query: string, id = 'c1'): TinyPart {
  return { type: 'call', id, name: 'tool_search', piece: JSON.stringify({ query }) };
}

function toolboxWith(options: Partial<ToolboxOptions> = {}): Toolbox {
  return createToolbox({
    tools: sampleSnapshot(),
    searcher: wordSearcher,
    settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
    ...options,
  });
}

interface Scripted {
  readonly upstream: Upstream<TinyRequest, TinyPart>;
  readonly requests: TinyRequest[];
}

function scripted(rounds: readonly (readonly TinyPart[])[]): Scripted {
  const requests: TinyRequest[] = [];
  return {
    requests,
    async *upstream(request) {
      const parts = rounds[requests.length] ?? [];
      requests.push(request);
      yield* parts;
    },
  };
}

async function collect<Part>(loop: AsyncIterable<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of loop) parts.push(part);
  return parts;
}

function start(
  upstream: Upstream<TinyRequest, TinyPart>,
  extra: { toolbox?: Toolbox; signal?: AbortSignal; prefetch?: boolean; request?: TinyRequest } = {},
): AsyncIterableIterator<TinyPart> {
  const { toolbox = toolboxWith(), request = REQUEST, ...rest } = extra;
  return runLoop({ wire: tinyWire, upstream, toolbox, plan: toolbox.plan(), request, ...rest });
}

interface Stuck {
  readonly upstream: Upstream<TinyRequest, TinyPart>;
  readonly signals: AbortSignal[];
  /** Resolves once the upstream is being waited for. */
  readonly waiting: Promise<void>;
}

/** An upstream that sends one part and then nothing, ever, whatever its signal says. */
function stuck(): Stuck {
  const signals: AbortSignal[] = [];
  const { promise: waiting, resolve } = withResolvers();
  return {
    signals,
    waiting,
    async *upstream(_, signal) {
      signals.push(signal);
      yield TEXT;
      resolve();
      await new Promise(() => undefined);
    },
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('runLoop', () => {
  it('forwards a part before the upstream has sent the next', async () => {
    const { upstream } = stuck();
    const loop = start(upstream);
    expect(await loop.next()).toEqual({ done: false, value: { type: 'start' } });
    expect(await loop.next()).toEqual({ done: false, value: TEXT });
    await loop.return?.();
  });

  it('sums what the rounds cost, and sends a ping between them', async () => {
    const { upstream } = scripted([
      [searchFor('issue'), CALLS],
      [TEXT, END],
    ]);
    const parts = await collect(start(upstream));
    expect(parts.at(-1)).toEqual({ type: 'end', reason: 'end', tokens: 20 });
    expect(parts.filter((part) => part.type === 'ping')).toHaveLength(1);
  });

  it('throws what the upstream threw, before anything was sent', async () => {
    const failure = new Error('429');
    const upstream: Upstream<TinyRequest, TinyPart> = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }),
    });
    await expect(start(upstream).next()).rejects.toBe(failure);
  });

  it('throws what the upstream threw in the middle, with searches still under way', async () => {
    const failure = new Error('broken');
    const never: Searcher = {
      ...wordSearcher(sampleSnapshot()),
      search: () => Promise.reject(new Error('also broken')),
    };
    const loop = start(
      async function* () {
        yield searchFor('issue');
        throw failure;
      },
      { toolbox: toolboxWith({ searcher: never }) },
    );
    await expect(collect(loop)).rejects.toBe(failure);
  });

  it('aborts the upstream first when the reader leaves, and does not wait for it', async () => {
    const { upstream, signals, waiting } = stuck();
    const loop = start(upstream);
    await loop.next();
    await loop.next();
    const pending = loop.next();
    await waiting;
    expect(await loop.return?.()).toEqual({ done: true, value: undefined });
    expect(signals[0]?.aborted).toBe(true);
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await loop.next()).toEqual({ done: true, value: undefined });
  });

  it('ends with the reason of an aborted signal though the upstream ignores it', async () => {
    const { upstream, waiting } = stuck();
    const controller = new AbortController();
    const loop = start(upstream, { signal: controller.signal });
    await loop.next();
    await loop.next();
    const pending = loop.next();
    await waiting;
    controller.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
  });

  it('ends with the reason of an aborted signal though a search never comes back', async () => {
    const controller = new AbortController();
    const silent: Searcher = { ...wordSearcher(sampleSnapshot()), search: () => new Promise(() => undefined) };
    const { promise: ended, resolve } = withResolvers();
    const loop = start(
      async function* () {
        yield searchFor('issue');
        yield CALLS;
        resolve();
      },
      { signal: controller.signal, toolbox: toolboxWith({ searcher: silent }) },
    );
    const all = collect(loop);
    await ended;
    // By then the stream is read to its end, and only the search is waited for.
    await new Promise((done) => setImmediate(done));
    controller.abort(new Error('enough'));
    await expect(all).rejects.toThrow('enough');
  });

  it('asks nothing of the upstream under a signal that is aborted already', async () => {
    const { upstream, requests } = scripted([[TEXT, END]]);
    await expect(collect(start(upstream, { signal: AbortSignal.abort(new Error('late')) }))).rejects.toThrow('late');
    expect(requests).toEqual([]);
  });

  it('runs searches of one round side by side', async () => {
    const open: (() => void)[] = [];
    const inner = wordSearcher(sampleSnapshot());
    const searcher: Searcher = {
      ...inner,
      async search(request) {
        await new Promise<void>((resolve) => {
          open.push(resolve);
          if (open.length === 2) for (const release of open) release();
        });
        return inner.search(request);
      },
    };
    const { upstream, requests } = scripted([
      [searchFor('issue'), searchFor('message', 'c2'), CALLS],
      [TEXT, END],
    ]);
    await collect(start(upstream, { toolbox: toolboxWith({ searcher }) }));
    expect(JSON.stringify(requests[1])).toContain('slack__send_message');
  });

  it("sends what comes before a held call at once, and what follows it in the model's order", async () => {
    const { promise: answered, resolve: answer } = withResolvers();
    const toolbox = toolboxWith();
    const slow: Toolbox = {
      ...toolbox,
      async handle(handling) {
        await answered;
        return toolbox.handle(handling);
      },
    };
    const held: Call = { id: 'c1', name: 'github__create_issue', arguments: { text: 'x' } };
    const shown: TinyPart = { type: 'call', id: 'c2', name: 'read_file', piece: '{}' };
    const { promise: left, resolve: leave } = withResolvers();
    // A reader that hands over the held call in the middle of the stream, as those of real wires do.
    const wire: Wire<TinyRequest, TinyPart> = {
      ...tinyWire,
      reader: () => ({
        read(part) {
          if (part.type === 'end') return [{ kind: 'close', part }];
          return part.type === 'search' ? [{ kind: 'held', call: held }] : [{ kind: 'forward', part }];
        },
        end: () => [],
      }),
    };
    async function* upstream(): AsyncGenerator<TinyPart> {
      yield TEXT;
      yield { type: 'search', id: 'c1', queries: [] };
      yield shown;
      yield CALLS;
      leave();
    }
    const loop = runLoop({ wire, upstream, toolbox: slow, plan: toolbox.plan(), request: REQUEST });
    const first = [await loop.next(), await loop.next()].map(({ value }) => value);
    expect(first).toEqual([{ type: 'start' }, TEXT]);
    const rest = collect(loop);
    await left;
    answer();
    expect((await rest).map((part) => (part.type === 'call' ? part.name : part.type))).toEqual([
      'github__create_issue',
      'read_file',
      'end',
    ]);
  });

  it('answers a call whose arguments are not JSON, so that the model can write it again', async () => {
    const broken: TinyPart = { type: 'call', id: 'c1', name: 'tool_search', piece: '{query: issue' };
    const { upstream, requests } = scripted([
      [broken, CALLS],
      [TEXT, END],
    ]);
    await collect(start(upstream));
    expect(JSON.stringify(requests[1]?.messages)).toContain('not a JSON object');
  });

  it('ends the turn with a round that was cut, though a search in it was complete', async () => {
    const cut: TinyPart = { type: 'call', id: 'c2', name: 'tool_search', piece: '{"query": "mess' };
    const { upstream, requests } = scripted([[searchFor('issue'), cut, { type: 'end', reason: 'length', tokens: 1 }]]);
    const parts = await collect(start(upstream));
    expect(requests).toHaveLength(1);
    expect(parts.map((part) => part.type)).toEqual(['start', 'search', 'found', 'end']);
    expect(parts.at(-1)).toMatchObject({ reason: 'length' });
  });

  it('lets a wrapped call that is refused be written again without the client seeing it', async () => {
    const wrong: TinyPart = {
      type: 'call',
      id: 'c1',
      name: 'tool_call',
      piece: '{"name":"no_such_tool","arguments":{}}',
    };
    const { upstream, requests } = scripted([
      [wrong, CALLS],
      [TEXT, END],
    ]);
    const parts = await collect(start(upstream));
    expect(parts.map((part) => part.type)).toEqual(['start', 'ping', 'text', 'end']);
    expect(JSON.stringify(requests[1]?.messages)).toContain('There is no tool');
  });

  it('checks a direct call to a deferred tool before the client gets it, and repairs its name', async () => {
    const direct: TinyPart = { type: 'call', id: 'c1', name: 'github.create_issue', piece: '{"text":"x"}' };
    const { upstream } = scripted([[direct, CALLS]]);
    const parts = await collect(start(upstream));
    expect(parts).toContainEqual({ type: 'call', id: 'c1', name: 'github__create_issue', piece: '{"text":"x"}' });
    expect(parts.at(-1)).toMatchObject({ reason: 'calls' });
  });

  it('relaxes a forced search after the first round', async () => {
    const { upstream, requests } = scripted([
      [searchFor('issue'), CALLS],
      [TEXT, END],
    ]);
    await collect(start(upstream, { request: { ...REQUEST, force: 'tool_search' } }));
    expect(requests.map((request) => request.force)).toEqual(['tool_search', undefined]);
  });

  it('offers prefetched tools at the tail of the user message in every round of the turn', async () => {
    const { upstream, requests } = scripted([
      [searchFor('message'), CALLS],
      [TEXT, END],
    ]);
    await collect(start(upstream, { prefetch: true }));
    const tails = requests.map((request) => request.messages[0]);
    expect(JSON.stringify(tails[0])).toContain('github__create_issue(text: string)');
    expect(tails[1]).toEqual(tails[0]);
  });
});

describe('runWhole', () => {
  it('returns the response that the stream would have made', async () => {
    const toolbox = toolboxWith();
    const responses: TinyPart[][] = [
      [searchFor('issue'), CALLS],
      [TEXT, END],
    ];
    const response = await runWhole<TinyRequest, TinyPart, readonly TinyPart[]>({
      wire: tinyWire,
      toolbox,
      plan: toolbox.plan(),
      request: REQUEST,
      upstream: async () => responses.shift() ?? [],
      whole: { toParts: (parts) => parts, fromParts: (parts) => parts.filter((part) => part.type !== 'ping') },
    });
    expect(response.map((part) => part.type)).toEqual(['start', 'search', 'found', 'text', 'end']);
  });
});

describe('what a search will need', () => {
  it('is prepared when the first part comes, not before the upstream is asked', async () => {
    const { toolbox, count } = untilPrepared();
    const before: number[] = [];
    const loop = start(
      async function* () {
        before.push(count());
        yield TEXT;
        before.push(count());
        yield END;
      },
      { toolbox },
    );
    await collect(loop);
    expect(before).toEqual([0, 1]);
    expect(count()).toBe(1);
  });

  it('is prepared while a whole response is waited for', async () => {
    const { toolbox, prepared } = untilPrepared();
    const response = await runWhole<TinyRequest, TinyPart, readonly TinyPart[]>({
      ...{ wire: tinyWire, toolbox, plan: toolbox.plan(), request: REQUEST },
      whole: { toParts: (parts) => [...parts], fromParts: (parts) => parts },
      async upstream() {
        await prepared;
        return [TEXT, END];
      },
    });
    expect(response).toContainEqual(TEXT);
  });

  it('is not prepared for a request that fails at once', async () => {
    const { toolbox, count } = untilPrepared();
    const upstream = (): AsyncIterable<TinyPart> => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('refused')) }),
    });
    await expect(collect(start(upstream, { toolbox }))).rejects.toThrow('refused');
    expect(count()).toBe(0);
  });
});

/** A toolbox that counts its preparations, and tells of the first. */
function untilPrepared(): { readonly toolbox: Toolbox; readonly prepared: Promise<void>; count(): number } {
  let count = 0;
  const { promise: prepared, resolve } = withResolvers();
  const prepare = (): void => {
    count += 1;
    resolve();
  };
  return { toolbox: { ...toolboxWith(), prepare }, prepared, count: () => count };
}
