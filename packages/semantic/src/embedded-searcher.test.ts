import { readFileSync } from 'node:fs';
import { createSnapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEmbeddedSearcher, embeddedModel } from './embedded-model.ts';

const SHOP = createSnapshot([
  createTool({ name: 'refund_payment', description: 'Refund a payment in full or in part' }),
  createTool({ name: 'release_room', description: 'Give a booked room back' }),
  createTool({ name: 'list_invoices', description: 'List invoices of a customer' }),
]);
const REQUEST = { query: 'give the customer his money back', limit: 1 };

describe('createEmbeddedSearcher', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it('finds by meaning what words would miss', async () => {
    const searcher = createEmbeddedSearcher(SHOP);
    expect(searcher.engine).toBe('hybrid');
    expect((await searcher.search(REQUEST)).hits.map(({ tool }) => tool.name)).toEqual(['refund_payment']);
  });

  it('takes the settings of the hybrid', async () => {
    const searcher = createEmbeddedSearcher(SHOP, { leastConfidence: 1 });
    expect((await searcher.search(REQUEST)).verdict).toBe('none');
  });

  it.each([
    ['no process', undefined],
    ['a process without modules', {}],
    ['a process whose modules have no files', { getBuiltinModule: () => undefined }],
  ])('searches by words where there is %s', async (_, process) => {
    vi.resetModules();
    const fresh = await import('./index.ts');
    vi.stubGlobal('process', process);
    const searcher = fresh.createEmbeddedSearcher(SHOP);
    expect(searcher.engine).toBe('bm25');
    expect(fresh.modelProblem()).toContain("can't be read without a file system");
    // The runner needs a process while it waits.
    vi.unstubAllGlobals();
    expect((await searcher.search({ query: 'invoices', limit: 1 })).hits[0]?.tool.name).toBe('list_invoices');
  });

  it('searches by words where a bundle left the model behind, and by meaning once its bytes are provided', async () => {
    vi.resetModules();
    const fresh = await import('./index.ts');
    const bytes = readFileSync(new URL('../model/tools-static-v6.bin', import.meta.url));
    const emitWarning = vi.fn();
    vi.stubGlobal('process', { emitWarning, getBuiltinModule: () => ({ readFileSync: fail }) });
    expect(fresh.createEmbeddedSearcher(SHOP).engine).toBe('bm25');
    fresh.createEmbeddedSearcher(SHOP);
    expect(emitWarning.mock.calls).toEqual([[expect.stringContaining('Searches use keywords only.')]]);
    expect(fresh.modelProblem()).toContain('a bundler leaves it behind');
    const { buffer, byteOffset, length } = new Uint8Array(bytes);
    fresh.provideModel(buffer.slice(byteOffset, byteOffset + length));
    expect(fresh.modelProblem()).toBeUndefined();
    const searcher = fresh.createEmbeddedSearcher(SHOP);
    expect(searcher.engine).toBe('hybrid');
    vi.unstubAllGlobals();
    expect((await searcher.search(REQUEST)).hits.map(({ tool }) => tool.name)).toEqual(['refund_payment']);
    expect(() => fresh.provideModel(new Uint8Array(8))).toThrow();
  });

  it('says what to do where the model is asked for and there is no file system, or its file is gone', async () => {
    vi.resetModules();
    const fresh = await import('./embedded-model.ts');
    vi.stubGlobal('process', {});
    expect(() => fresh.embeddedModel()).toThrow('provideModel(bytes)');
    vi.stubGlobal('process', { getBuiltinModule: () => ({ readFileSync: fail }) });
    expect(() => fresh.embeddedModel()).toThrow(/tools-static-v6\.bin: a bundler leaves it behind/);
    vi.unstubAllGlobals();
    expect(fresh.embeddedModel().dimensions).toBe(embeddedModel().dimensions);
  });
});

function fail(): never {
  throw new Error('ENOENT');
}
