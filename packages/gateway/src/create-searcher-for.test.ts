import { createSnapshot, createTool, type SecondStage, type Tool } from '@quartermaster/core';
import type { SearchSettings } from '@quartermaster/host/config';
import { describe, expect, it } from 'vitest';
import { createSearcherFor, type SearcherParts } from './create-searcher-for.ts';
import { LETTERS, SEARCH_LETTERS } from './reranking.fixture.ts';

const SNAPSHOT = createSnapshot(LETTERS.map(({ name, description }) => createTool({ name, description })));

const { query } = SEARCH_LETTERS.input;

function searcherFor(engine: SearchSettings['engine'], parts: SearcherParts) {
  const source = createSearcherFor({ engine, whenNothingFits: 'best' }, parts);
  return typeof source === 'function' ? source(SNAPSHOT) : source;
}

/** Holds every request nearest to the tool of this name. */
function favouring(name: string): SecondStage & { readonly requests: readonly string[] } {
  const requests: string[] = [];
  return {
    depth: 50,
    requests,
    async compare(asked) {
      requests.push(...asked.map(({ text }) => text));
      const cosineOf = (tool: Tool) => (tool.name === name ? 1 : 0);
      return { kind: 'compared', cosines: asked.map(({ tools }) => Float32Array.from(tools, cosineOf)) };
    },
  };
}

describe('what searches by words', () => {
  it.each(['hybrid', 'bm25', 'hybrid+reranker'] as const)(
    'builds nothing for a gateway that has closed: %s',
    async (engine) => {
      const closed = new AbortController();
      const searcher = searcherFor(engine, { signal: closed.signal, second: favouring('post_letter') });
      closed.abort(new Error('closed'));
      await expect(searcher.prepare?.()).rejects.toThrow('closed');
    },
  );

  it('goes by the second stage where the settings ask for it', async () => {
    const second = favouring('post_letter');
    const { hits } = await searcherFor('hybrid+reranker', { second }).search({ query });
    expect(hits[0]?.tool.name).toBe('post_letter');
    expect(second.requests).toEqual([query]);
  });

  it.each(['hybrid', 'bm25'] as const)('asks no second stage with the engine %s', async (engine) => {
    const second = favouring('post_letter');
    await searcherFor(engine, { second }).search({ query });
    expect(second.requests).toEqual([]);
  });

  it('is not made where a second stage is asked for and there is none', () => {
    expect(() => searcherFor('hybrid+reranker', {})).toThrow(
      'give the gateway one as secondStage.embedder, or choose hybrid',
    );
  });
});
