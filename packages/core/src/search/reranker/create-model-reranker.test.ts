import { describe, expect, it } from 'vitest';
import { createTool } from '../../catalog/index.ts';
import { createModelReranker, type RerankingModel } from './create-model-reranker.ts';
import type { RerankerEvent } from './create-reranker.ts';

const MAIL = createTool({ name: 'send_mail', description: 'Send a mail' });
const FILE = createTool({ name: 'read_file', description: 'Read a file' });

/** Scores a document by how many of the query's words it has. */
function wordModel(answer?: () => unknown): RerankingModel & { readonly calls: readonly number[] } {
  const calls: number[] = [];
  return {
    modelId: 'words',
    calls,
    async doRerank({ documents, query }) {
      calls.push(documents.values.length);
      const score = (text: string) => query.split(' ').filter((word) => text.toLowerCase().includes(word)).length;
      const ranking = documents.values
        .map((text, index) => ({ index, relevanceScore: score(text) }))
        .sort((left, right) => right.relevanceScore - left.relevanceScore);
      return (answer?.() ?? { ranking }) as { ranking: typeof ranking };
    },
  };
}

describe('a reranking model', () => {
  it('scores the tools of each query', async () => {
    const reranker = createModelReranker({ model: wordModel() });
    const compared = await reranker.compare([
      { text: 'send mail', tools: [FILE, MAIL] },
      { text: 'read a file', tools: [MAIL, FILE] },
    ]);
    expect(compared).toEqual({ kind: 'compared', cosines: [Float32Array.of(0, 2), Float32Array.of(1, 3)] });
  });

  it('is asked once for a query and a tool, and only for what is not known', async () => {
    const model = wordModel();
    const reranker = createModelReranker({ model });
    await reranker.compare([{ text: 'send mail', tools: [MAIL] }]);
    await reranker.compare([{ text: 'send mail', tools: [MAIL] }]);
    await reranker.compare([{ text: 'send mail', tools: [MAIL, FILE] }]);
    expect(model.calls).toEqual([1, 1]);
  });

  it('keeps no more scores than it may', async () => {
    const model = wordModel();
    const reranker = createModelReranker({ model, cachedScores: 1 });
    for (const tool of [MAIL, FILE, MAIL]) await reranker.compare([{ text: 'send mail', tools: [tool] }]);
    expect(model.calls).toEqual([1, 1, 1]);
  });

  it('reports what it was sent', async () => {
    const events: RerankerEvent[] = [];
    const reranker = createModelReranker({ model: wordModel(), onEvent: (event) => events.push(event) });
    await reranker.compare([{ text: 'send mail', tools: [MAIL, FILE] }]);
    expect(events).toEqual([{ kind: 'call', modelId: 'words', texts: 3, characters: expect.any(Number) }]);
  });

  it.each([
    ['nothing', undefined],
    ['no ranking', {}],
    ['places that are not there', { ranking: [{ index: 7, relevanceScore: 1 }] }],
    ['scores that are no numbers', { ranking: [{ index: 0, relevanceScore: Number.NaN }] }],
  ])('that answers with %s costs no answer', async (_, answer) => {
    const events: RerankerEvent[] = [];
    const model = { ...wordModel(), doRerank: async () => answer as never };
    const reranker = createModelReranker({ model, onEvent: (event) => events.push(event) });
    const compared = await reranker.compare([{ text: 'send mail', tools: [MAIL] }]);
    expect(compared).toMatchObject({ kind: 'fallback', reason: expect.stringContaining('ranked none of 1 texts') });
    expect(events.map(({ kind }) => kind)).toEqual(['call', 'fallback']);
  });

  it('that is late is given up, and its call is ended', async () => {
    let ended = false;
    let expire = (): void => {};
    const model: RerankingModel = {
      modelId: 'slow',
      doRerank: ({ abortSignal }) => {
        abortSignal?.addEventListener('abort', () => {
          ended = true;
        });
        return new Promise(() => {});
      },
    };
    const reranker = createModelReranker({
      model,
      timer: (_, act) => {
        expire = act;
        return () => {};
      },
    });
    const waiting = reranker.compare([{ text: 'send mail', tools: [MAIL] }]);
    expire();
    expect(await waiting).toMatchObject({ kind: 'fallback', reason: 'The reranker took longer than 2000 ms' });
    expect(ended).toBe(true);
  });
});
