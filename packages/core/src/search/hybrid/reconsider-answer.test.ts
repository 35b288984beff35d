import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type Tool } from '../../catalog/index.ts';
import { createReranker, type Reranker } from '../reranker/create-reranker.ts';
import { fakeEmbedder } from '../reranker/fake-embedder.fixture.ts';
import type { Searcher } from '../searcher.ts';
import { describeSearcher } from '../searcher-contract.fixture.ts';
import { type HybridWeights, NO_FEATURES } from './features.ts';
import { createHybridSearcher, createSemanticSearcher } from './hybrid-searcher.ts';
import { toyEmbedder } from './toy-embedder.fixture.ts';

const withReranker = { embedder: toyEmbedder, reranker: createReranker({ embedder: fakeEmbedder() }) };
describeSearcher('hybrid with a reranker', (snapshot) => createHybridSearcher(snapshot, withReranker));
describeSearcher('semantic with a reranker', (snapshot) => createSemanticSearcher(snapshot, withReranker));

const FILES = createSnapshot(
  ['copy', 'move', 'rename', 'open', 'close', 'print', 'share', 'lock'].map((verb) => {
    return createTool({ name: `${verb}_file`, description: `To ${verb} a file` });
  }),
);

/** A stage that finds one tool nearer than all others. */
function favouring(name: string): Reranker {
  return favouringBy(() => name);
}

/** A stage that finds one tool nearer than all others, another one for each text. */
function favouringBy(nameOf: (text: string) => string | undefined): Reranker {
  return {
    depth: 50,
    compare: async (asked) => ({
      kind: 'compared',
      cosines: asked.map(({ text, tools }) => {
        return Float32Array.from(tools, (tool) => (tool.name === nameOf(text) ? 0.9 : 0.2));
      }),
    }),
  };
}

const searcherWith = (reranker?: Reranker): Searcher => {
  return createHybridSearcher(FILES, { embedder: toyEmbedder, ...(reranker === undefined ? {} : { reranker }) });
};

describe('hybrid search with a reranker', () => {
  it('puts what the reranker finds nearest before its equals', async () => {
    const names = async (searcher: Searcher): Promise<string[]> => {
      return (await searcher.search({ query: 'do something to the file' })).hits.map(({ tool }) => tool.name);
    };
    expect((await names(searcherWith()))[0]).not.toBe('lock_file');
    expect((await names(searcherWith(favouring('lock_file'))))[0]).toBe('lock_file');
  });

  it.each([
    ['fifth place at the most where nobody knows what its cosines are worth', undefined, 4],
    ['last place where that is known', { meaning: 1, bigrams: 0, cosine: 1, threshold: 0 }, 7],
  ])('moves what the first stage found best down to the %s', async (_, fitModel, place) => {
    const against: Reranker = {
      depth: 50,
      ...(fitModel === undefined ? {} : { fitModel }),
      compare: async (asked) => ({
        kind: 'compared',
        cosines: asked.map(({ tools }) => Float32Array.from(tools, (tool) => (tool.name === 'copy_file' ? -1 : 0.5))),
      }),
    };
    const rerankedWeights = { ...NO_FEATURES, reranked: 1 };
    const searcher = createHybridSearcher(FILES, { embedder: toyEmbedder, reranker: against, rerankedWeights });
    const { hits } = await searcher.search({ query: 'copy a file', limit: 8 });
    expect(hits.map(({ tool }) => tool.name).indexOf('copy_file')).toBe(place);
    expect(hits).toHaveLength(8);
  });

  it('leaves a named tool first', async () => {
    const { hits } = await searcherWith(favouring('lock_file')).search({ query: 'please `copy_file` the file' });
    expect(hits.map(({ tool }) => tool.name).slice(0, 2)).toEqual(['copy_file', 'lock_file']);
  });

  it('says in the explanation what the reranker counted, and adds up', async () => {
    const searcher = searcherWith(favouring('lock_file'));
    const request = { query: 'lock the file and then print the other file', explain: true };
    const { hits } = await searcher.search(request);
    for (const [at, { explanation, score, tool }] of hits.entries()) {
      const features = explanation?.details.find(({ what }) => what.startsWith('sum of the features'));
      expect(features?.details.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(features?.value ?? Number.NaN);
      expect(explanation?.details.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score);
      expect(features?.details.some(({ what }) => what.includes('reranker'))).toBe(tool.name === 'lock_file');
      expect(await searcher.explain(request, tool)).toMatchObject({ rank: at + 1, explanation: { value: score } });
    }
  });

  it('compares each clause of a request on its own, and each query’s with that query’s tools', async () => {
    const embedder = fakeEmbedder();
    const query = ['lock the old file and then print the other file', 'copy it'];
    await searcherWith(createReranker({ embedder })).search({ query });
    expect(embedder.calls[0]).toEqual([query[0], 'lock the old file', 'print the other file', query[1]]);
  });

  it.each([
    ['do one thing to the file', 'close_file'],
    ['another thing to the file', 'lock_file'],
  ])('makes room for what the reranker finds nearest to "%s"', async (clause, name) => {
    const query = 'do one thing to the file and then another thing to the file';
    const names = async (reranker: Reranker): Promise<string[]> => {
      return (await searcherWith(reranker).search({ query })).hits.slice(0, 2).map(({ tool }) => tool.name);
    };
    expect(await names(favouring('share_file'))).not.toContain(name);
    const reranker = favouringBy((text) => (text === query ? 'share_file' : text === clause ? name : undefined));
    expect((await names(reranker)).sort()).toEqual([name, 'share_file'].sort());
  });

  it('scales a cosine if its range is known', async () => {
    const query = 'do one thing to the file and then another thing to the file';
    const reranker = favouringBy((text) =>
      text === query ? 'share_file' : text.startsWith('do') ? 'close_file' : undefined,
    );
    const intentOf = async (of: Reranker): Promise<number> => {
      const { hits } = await searcherWith(of).search({ query, explain: true });
      const hit = hits.find(({ tool }) => tool.name === 'close_file');
      return hit?.explanation?.details.find(({ what }) => what.startsWith('covers a part'))?.value ?? 0;
    };
    const fitModel = { meaning: 10, bigrams: 0, cosine: 10, threshold: 5 };
    expect(await intentOf({ ...reranker, fitModel })).toBeGreaterThan(await intentOf(reranker));
  });

  it('uses the whole request if the model can read none of the clauses', async () => {
    const query = 'do one thing to the file and then another thing to the file';
    const reranker = favouring('share_file');
    const blind: Reranker = {
      ...reranker,
      compare: async (asked, signal) => {
        const compared = await reranker.compare(asked, signal);
        if (compared.kind === 'fallback') return compared;
        return { ...compared, cosines: compared.cosines.map((some, at) => (at === 0 ? some : undefined)) };
      },
    };
    expect((await searcherWith(blind).search({ query })).hits[0]?.tool.name).toBe('share_file');
  });

  it('has weights of their own for requests of one clause, and says only what counts', async () => {
    const [embedded, meaning]: HybridWeights[] = [
      { ...NO_FEATURES, reranked: 2 },
      { ...NO_FEATURES, meaning: 1 },
    ];
    const counted = async (query: string, weights: object): Promise<string[] | undefined> => {
      const reranker = favouring('lock_file');
      const searcher = createHybridSearcher(FILES, { embedder: toyEmbedder, reranker, intentWeight: 0, ...weights });
      const standing = await searcher.explain({ query }, FILES.tools.at(-1) as Tool);
      const explanation = 'explanation' in standing ? standing.explanation : undefined;
      return explanation?.details.flatMap(({ details }) => details.map(({ what }) => what.split(':')[0] ?? ''));
    };
    const [one, several] = ['lock the file', 'lock the file and then print the other file'];
    expect(await counted(one, { rerankedWeights: embedded })).toEqual(['2 × 1.000']);
    const both = { rerankedWeights: embedded, rerankedOneClauseWeights: meaning };
    expect(await counted(one, both)).toEqual([expect.stringMatching(/^1 × 0/)]);
    expect(await counted(several, both)).toEqual(['2 × 1.000']);
  });

  it('judges by the cosines only if their scale is known', async () => {
    const request = { query: 'do something to the file' };
    const { confidence: first } = await searcherWith().search(request);
    expect((await searcherWith(favouring('lock_file')).search(request)).confidence).toBe(first);
    const fitModel = { meaning: 0, bigrams: 0, cosine: 10, threshold: 5 };
    const { confidence } = await searcherWith({ ...favouring('lock_file'), fitModel }).search(request);
    expect(confidence).toBeCloseTo(1 / (1 + Math.exp(5 - 10 * 0.9)));
    const named = { query: 'please `copy_file` the file' };
    expect((await searcherWith({ ...favouring('lock_file'), fitModel }).search(named)).confidence).toBe(1);
  });

  it.each(['rejected', 'unreadable'])('gives the first stage’s answer when the reranker is %s', async (kind) => {
    const embedder = fakeEmbedder({ hold: () => Promise.reject(new Error('down')) });
    const reranker = createReranker({ embedder: { ...embedder, canRead: () => kind === 'rejected' } });
    const request = { query: ['copy a file', 'print it'], explain: true };
    const { reranker: use, ...answer } = await searcherWith(reranker).search(request);
    expect(answer).toEqual(await searcherWith().search(request));
    expect(use).toMatchObject({ kind: kind === 'rejected' ? 'fallback' : 'skipped', reason: expect.any(String) });
  });

  it('shows the embedder the best and nothing that is not allowed', async () => {
    const embedder = fakeEmbedder();
    const searcher = searcherWith(createReranker({ embedder, depth: 3 }));
    await searcher.search({ query: 'file', allow: (tool: Tool) => tool.name !== 'copy_file' });
    const [asked, sent] = embedder.calls;
    expect(asked).toEqual(['file']);
    expect(sent).toHaveLength(3);
    expect(sent?.some((text) => text.includes('copy'))).toBe(false);
  });

  it('asks nothing for a selection of names', async () => {
    const embedder = fakeEmbedder();
    const searcher = searcherWith(createReranker({ embedder }));
    expect((await searcher.search({ query: 'select:copy_file' })).hits).toHaveLength(1);
    expect(embedder.calls).toEqual([]);
  });

  it('ends when the caller no longer waits', async () => {
    const controller = new AbortController();
    const reranker = createReranker({ embedder: fakeEmbedder({ hold: () => new Promise(() => {}) }) });
    const waiting = searcherWith(reranker).search({ query: 'file', signal: controller.signal });
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
