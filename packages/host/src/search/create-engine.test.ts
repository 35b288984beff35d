import { createSnapshot, type Tool } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import type { Reranker } from '@quartermaster/core/search';
import { describe, expect, it } from 'vitest';
import type { SearchSettings } from '../config/index.ts';
import { createSearcherFor, type SearcherParts } from './create-engine.ts';

const SNAPSHOT = createSnapshot([
  createTool({ name: 'send_mail', description: 'To send mail' }),
  createTool({ name: 'read_mail', description: 'To read mail' }),
  createTool({ name: 'post_letter', description: 'Bring a letter to someone' }),
]);

const query = 'let a customer know';

function searcherFor(engine: SearchSettings['engine'], parts: SearcherParts) {
  const source = createSearcherFor({ engine, whenNothingFits: 'best' }, parts);
  return typeof source === 'function' ? source(SNAPSHOT) : source;
}

/** Holds every request nearest to the tool of this name. */
function favouring(name: string): Reranker & { readonly requests: readonly string[] } {
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
      const searcher = searcherFor(engine, { signal: closed.signal, reranker: favouring('post_letter') });
      closed.abort(new Error('closed'));
      await expect(searcher.prepare?.()).rejects.toThrow('closed');
    },
  );

  it('uses the reranker if the settings ask for it', async () => {
    const reranker = favouring('post_letter');
    const { hits } = await searcherFor('hybrid+reranker', { reranker }).search({ query });
    expect(hits[0]?.tool.name).toBe('post_letter');
    expect(reranker.requests).toEqual([query]);
  });

  it.each(['hybrid', 'bm25'] as const)('asks no reranker with the engine %s', async (engine) => {
    const reranker = favouring('post_letter');
    await searcherFor(engine, { reranker }).search({ query });
    expect(reranker.requests).toEqual([]);
  });

  it('uses the reranker if the engine is auto and there is one, otherwise none', async () => {
    const reranker = favouring('post_letter');
    const { hits } = await searcherFor('auto', { reranker }).search({ query });
    expect(hits[0]?.tool.name).toBe('post_letter');
    const alone = await searcherFor('auto', {}).search({ query });
    expect(alone.reranker).toBeUndefined();
    expect(alone.hits[0]?.tool.name).not.toBe('post_letter');
  });

  it('is not created if a reranker is requested and there is none', () => {
    expect(() => searcherFor('hybrid+reranker', {})).toThrow('pass one as reranker.embedder, or choose auto or hybrid');
  });
});
