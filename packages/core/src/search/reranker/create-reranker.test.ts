import { describe, expect, it } from 'vitest';
import { createTool, type Tool } from '../../catalog/index.ts';
import { type Compared, createReranker, type RerankerEvent } from './create-reranker.ts';
import { fakeEmbedder, manualTimer } from './fake-embedder.fixture.ts';
import { toolSentence } from './tool-sentence.ts';
import { MemoryVectorCache } from './tool-vectors.ts';

const [MAIL, FILE, BILL] = [
  createTool({ name: 'send_mail', description: 'Send a mail' }),
  createTool({ name: 'delete_file', description: 'Delete a file' }),
  createTool({ name: 'create_bill', description: 'Create a bill' }),
] as const;
const TOOLS: readonly Tool[] = [MAIL, FILE, BILL];

function manyTools(count: number): Tool[] {
  return Array.from({ length: count }, (_, i) => createTool({ name: `tool_${i}` }));
}

function cosinesOf(compared: Compared): readonly (Float32Array | undefined)[] {
  if (compared.kind === 'fallback') throw new Error(compared.reason);
  return compared.cosines;
}

/** Until every promise that can settle has settled. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('createReranker', () => {
  it('gives the cosine of each query with each of its tools', async () => {
    const stage = createReranker({ embedder: fakeEmbedder() });
    const compared = await stage.compare([
      { text: 'delete the file', tools: TOOLS },
      { text: 'mail', tools: [FILE, MAIL] },
    ]);
    const [file, mail] = cosinesOf(compared);
    expect(file).toHaveLength(3);
    expect(file?.indexOf(Math.max(...file))).toBe(1);
    expect(mail?.[1]).toBeGreaterThan(mail?.[0] ?? 1);
  });

  it('does not embed a tool twice, nor the same text under another id', async () => {
    const embedder = fakeEmbedder();
    const stage = createReranker({ embedder });
    await stage.compare([{ text: 'mail', tools: TOOLS }]);
    const twin = createTool({ name: 'send_mail', description: 'Send a mail' });
    const again = await stage.compare([{ text: 'file', tools: [twin, ...TOOLS] }]);
    expect(embedder.calls).toEqual([['mail'], TOOLS.map(toolSentence), ['file']]);
    expect(cosinesOf(again)[0]).toHaveLength(4);
  });

  it('takes the sentence of a tool for the tool', async () => {
    const embedder = fakeEmbedder();
    const stage = createReranker({ embedder });
    const byTools = await stage.compare([{ text: 'mail', tools: TOOLS }]);
    const bySentences = await stage.compare([{ text: 'mail', tools: TOOLS.map(toolSentence) }]);
    expect(bySentences).toEqual(byTools);
    expect(embedder.calls).toEqual([['mail'], TOOLS.map(toolSentence), ['mail']]);
  });

  it('lets searches at the same time share what they both need', async () => {
    const embedder = fakeEmbedder();
    const stage = createReranker({ embedder });
    await Promise.all(['mail', 'file', 'bill'].map((text) => stage.compare([{ text, tools: TOOLS }])));
    expect(embedder.calls.flat().filter((text) => text === toolSentence(MAIL))).toHaveLength(1);
  });

  it('asks the store before the embedder, and fills it', async () => {
    const store = new MemoryVectorCache();
    const first = createReranker({ embedder: fakeEmbedder(), store });
    const before = await first.compare([{ text: 'mail', tools: TOOLS }]);
    const embedder = fakeEmbedder();
    const after = await createReranker({ embedder, store }).compare([{ text: 'mail', tools: TOOLS }]);
    expect(embedder.calls).toEqual([['mail']]);
    expect(after).toEqual(before);
  });

  it('computes a stored vector again if it cannot be from the model', async () => {
    const embedder = fakeEmbedder();
    const store = {
      get: (_: string, hashes: readonly string[]) => new Map(hashes.map((hash) => [hash, new Uint8Array(7)])),
      put() {},
    };
    const compared = await createReranker({ embedder, store }).compare([{ text: 'mail', tools: [MAIL] }]);
    expect(embedder.calls).toEqual([['mail'], [toolSentence(MAIL)]]);
    expect(compared.kind).toBe('compared');
  });

  it('does without a store that fails, and says so', async () => {
    const events: RerankerEvent[] = [];
    const cause = new Error('disk full');
    const store = { get: () => Promise.reject(cause), put: () => Promise.reject(cause) };
    const stage = createReranker({ embedder: fakeEmbedder(), store, onEvent: (event) => events.push(event) });
    expect((await stage.compare([{ text: 'mail', tools: [MAIL] }])).kind).toBe('compared');
    await settle();
    expect(events.filter(({ kind }) => kind !== 'call')).toEqual([
      { kind: 'store-failed', cause },
      { kind: 'store-failed', cause },
    ]);
  });

  it.each([
    [3, 3],
    [Promise.resolve(5), 5],
    [undefined, 64],
    [Number.POSITIVE_INFINITY, 64],
    [1_000_000, 64],
    [2.5, 2],
    [0, 1],
    [Number.NaN, 1],
  ])(
    'sends no more texts in a call than a limit of %s allows, and no more than two calls at once',
    async (limit, most) => {
      const embedder = fakeEmbedder({ limit, hold: settle });
      const stage = createReranker({ embedder, depth: 200 });
      expect((await stage.compare([{ text: 'x', tools: manyTools(130) }])).kind).toBe('compared');
      expect(Math.max(...embedder.calls.map((call) => call.length))).toBe(most);
      expect(embedder.calls.flat()).toHaveLength(131);
      expect(embedder.mostAtOnce).toBe(2);
    },
  );

  it('falls back when the embedder fails, says why, and sends no tool when the query failed', async () => {
    const events: RerankerEvent[] = [];
    const embedder = fakeEmbedder({ hold: () => Promise.reject(new Error('401 wrong key')) });
    const stage = createReranker({ embedder, onEvent: (event) => events.push(event) });
    const compared = await stage.compare([{ text: 'mail', tools: TOOLS }]);
    expect(compared).toMatchObject({ kind: 'fallback', reason: 'The reranker failed: 401 wrong key' });
    expect(events).toEqual([compared]);
    expect(embedder.calls).toEqual([['mail']]);
  });

  it('asks again after a failure', async () => {
    const embedder = fakeEmbedder({ hold: (call) => (call === 1 ? Promise.reject(new Error('busy')) : settle()) });
    const stage = createReranker({ embedder });
    expect((await stage.compare([{ text: 'mail', tools: TOOLS }])).kind).toBe('fallback');
    expect((await stage.compare([{ text: 'mail', tools: TOOLS }])).kind).toBe('compared');
  });

  it('falls back when the time is up, and keeps what comes late', async () => {
    const { timer, fire } = manualTimer();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const embedder = fakeEmbedder({ hold: (call) => (call === 1 ? held : settle()) });
    const stage = createReranker({ embedder, timer, timeoutMs: 70 });
    const waiting = stage.compare([{ text: 'mail', tools: TOOLS }]);
    while (embedder.calls.length < 2) await settle();
    fire(70);
    expect(await waiting).toMatchObject({ kind: 'fallback', reason: 'The reranker took longer than 70 ms' });
    release();
    await settle();
    expect((await stage.compare([{ text: 'mail', tools: TOOLS }])).kind).toBe('compared');
    expect(embedder.calls).toHaveLength(3);
  });

  it('gives up a call that never ends, so that others get its place', async () => {
    const { timer, fire } = manualTimer();
    const never = new Promise<never>(() => {});
    const embedder = fakeEmbedder({ hold: (call) => (call < 2 ? never : settle()) });
    const stage = createReranker({ embedder, timer, timeoutMs: 10 });
    const stuck = ['mail', 'file', 'bill'].map((text) =>
      stage.compare([
        { text, tools: [] as Tool[] },
        { text, tools: [MAIL] },
      ]),
    );
    while (embedder.calls.length < 2) await settle();
    fire(150);
    expect((await Promise.all(stuck)).map(({ kind }) => kind)).toEqual(['fallback', 'fallback', 'compared']);
    expect(embedder.signals.slice(0, 2).every((signal) => signal.aborted)).toBe(true);
  });

  it('ends with the reason of the caller who no longer waits', async () => {
    const controller = new AbortController();
    const stage = createReranker({
      embedder: fakeEmbedder({ hold: () => new Promise(() => {}) }),
      timer: manualTimer().timer,
    });
    const waiting = stage.compare([{ text: 'mail', tools: TOOLS }], controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(stage.compare([], controller.signal)).rejects.toThrow('gone');
  });

  it('embeds nothing after it is closed, and waits for nothing', async () => {
    const ended = new AbortController();
    const embedder = fakeEmbedder({ limit: 1, hold: (call) => (call === 0 ? settle() : new Promise(() => {})) });
    const stage = createReranker({ embedder, timer: manualTimer().timer, signal: ended.signal });
    const waiting = stage.compare([{ text: 'mail', tools: TOOLS }]);
    while (embedder.calls.length < 3) await settle();
    ended.abort(new Error('closed'));
    expect(await waiting).toMatchObject({ kind: 'fallback', reason: 'The reranker failed: closed' });
    expect(embedder.signals.slice(1).map(({ aborted }) => aborted)).toEqual([true, true]);
    await settle();
    expect(await stage.compare([{ text: 'file', tools: [MAIL] }])).toMatchObject({ kind: 'fallback' });
    expect(embedder.calls).toHaveLength(3);
  });

  const good = new Array(64).fill(0.5);
  it.each<[string, unknown, RegExp]>([
    ['nothing', {}, /gave no list of vectors for 1 texts/],
    ['null', { embeddings: null }, /gave no list of vectors/],
    ['too few', { embeddings: [] }, /gave 0 vectors for 1 texts/],
    ['too many', { embeddings: [good, good] }, /gave 2 vectors for 1 texts/],
    ['a word', { embeddings: ['near'] }, /gave string where a vector belongs/],
    ['an empty vector', { embeddings: [[]] }, /gave a vector of 0 components/],
    ['a short vector', { embeddings: [good.slice(1)] }, /gave a vector of 63 components after others of 64/],
    ['NaN', { embeddings: [good.with(3, Number.NaN)] }, /not a finite number/],
    ['infinity', { embeddings: [good.with(3, Number.NEGATIVE_INFINITY)] }, /not a finite number/],
    ['a number past 32 bits', { embeddings: [good.with(3, 1e300)] }, /not a finite number/],
    ['a word for a number', { embeddings: [good.with(3, 'one')] }, /not a finite number/],
    ['a vector without end', { embeddings: [new Array(20_000).fill(1)] }, /gave a vector of 20000 components/],
  ])('falls back on %s from a model, says why, and keeps nothing of it', async (_, answer, reason) => {
    const embedder = fakeEmbedder({ answer: (__, call) => (call === 1 ? answer : undefined) });
    const stage = createReranker({ embedder });
    const compared = await stage.compare([{ text: 'mail', tools: [MAIL] }]);
    expect(compared).toMatchObject({ kind: 'fallback', reason: expect.stringMatching(reason) });
    expect(compared).toMatchObject({ reason: expect.stringContaining('"fake"') });
    expect((await stage.compare([{ text: 'mail', tools: [MAIL] }])).kind).toBe('compared');
  });

  it('gives a text whose vector is all zeros the cosine 0', async () => {
    const embedder = fakeEmbedder({
      answer: (values, call) => (call === 0 ? { embeddings: values.map(() => good.map(() => 0)) } : undefined),
    });
    const compared = await createReranker({ embedder }).compare([{ text: 'mail', tools: [MAIL] }]);
    expect(cosinesOf(compared)).toEqual([Float32Array.of(0)]);
  });

  it('reports what the embedder says about its cosines', () => {
    const fitModel = { meaning: 1, bigrams: 0, cosine: 9, threshold: 5 };
    expect(createReranker({ embedder: { ...fakeEmbedder(), fitModel } }).fitModel).toBe(fitModel);
    expect(createReranker({ embedder: fakeEmbedder() }).fitModel).toBeUndefined();
  });

  it('omits what the model cannot read, what is empty, and what has no tools', async () => {
    const embedder = { ...fakeEmbedder(), canRead: (request: string) => request !== '发送' };
    const stage = createReranker({ embedder });
    const nothing = await stage.compare([
      { text: '发送', tools: TOOLS },
      { text: ' ', tools: TOOLS },
      { text: 'mail', tools: [] },
    ]);
    expect(cosinesOf(nothing)).toEqual([undefined, undefined, undefined]);
    expect(embedder.calls).toEqual([]);
    const some = cosinesOf(
      await stage.compare([
        { text: '发送', tools: TOOLS },
        { text: 'mail', tools: TOOLS },
      ]),
    );
    expect(some.map((cosines) => cosines?.length)).toEqual([undefined, 3]);
  });

  it('sends no half of a surrogate pair and no text without end', async () => {
    const embedder = fakeEmbedder();
    const odd = createTool({ name: 'odd', description: `\ud800${'😀'.repeat(800)}` });
    await createReranker({ embedder }).compare([{ text: `\udc00${'x'.repeat(100_000)}`, tools: [odd] }]);
    for (const text of embedder.calls.flat()) {
      expect(text).not.toMatch(/\p{Surrogate}/u);
      expect(text.length).toBeLessThan(5_000);
    }
  });

  it.each([
    [{ depth: 0 }, /depth is 0/],
    [{ depth: 201 }, /depth is 201/],
    [{ timeoutMs: Number.NaN }, /timeoutMs is NaN/],
    [{ cacheBytes: -1 }, /cacheBytes is -1/],
  ])('refuses %j', (settings, message) => {
    expect(() => createReranker({ embedder: fakeEmbedder(), ...settings })).toThrow(message);
  });

  it('makes the vectors of a catalog ahead, a few at a time, so that a search embeds its request alone', async () => {
    const embedder = Object.assign(fakeEmbedder(), { isLocal: true });
    const stage = createReranker({ embedder });
    const tools = Array.from({ length: 20 }, (_, at) =>
      createTool({ name: `tool_${at}`, description: `Number ${at}` }),
    );
    await Promise.all([stage.prepare?.(tools), stage.prepare?.(tools)]);
    expect(embedder.calls.map(({ length }) => length)).toEqual([8, 8, 4]);
    expect(embedder.mostAtOnce).toBe(1);
    await stage.compare([{ text: 'number', tools }]);
    expect(embedder.calls.at(-1)).toEqual(['number']);
  });

  it('precomputes nothing with a remote model, which may cost money, unless configured', async () => {
    expect(createReranker({ embedder: fakeEmbedder() }).prepare).toBeUndefined();
    expect(createReranker({ embedder: fakeEmbedder(), isPreparing: true }).prepare).toBeDefined();
  });

  it('says when it has left out a request that it can’t read', async () => {
    const events: RerankerEvent[] = [];
    const embedder = { ...fakeEmbedder(), canRead: () => false };
    const stage = createReranker({ embedder, onEvent: (event) => events.push(event) });
    expect(await stage.compare([{ text: 'numéro', tools: [MAIL] }])).toEqual({
      kind: 'compared',
      cosines: [undefined],
    });
    expect(events).toEqual([{ kind: 'skipped', reason: expect.stringContaining('language') }]);
  });
});
