import { createSnapshot, createTool } from '@quartermaster/core';
import { describe, expect, it } from 'vitest';
import { createSearcherFor } from './create-searcher-for.ts';

const SNAPSHOT = createSnapshot([createTool({ name: 'get_weather', description: 'Weather of a city' })]);

describe('what searches by words', () => {
  it.each(['hybrid', 'bm25'] as const)('builds nothing for a gateway that has closed: %s', async (engine) => {
    const closed = new AbortController();
    const source = createSearcherFor({ engine, whenNothingFits: 'empty' }, closed.signal);
    const searcher = typeof source === 'function' ? source(SNAPSHOT) : source;
    closed.abort(new Error('closed'));
    await expect(searcher.prepare?.()).rejects.toThrow('closed');
  });
});
