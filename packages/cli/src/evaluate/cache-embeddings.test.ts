import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RerankerEmbedder } from '@quartermaster/core/search';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheEmbeddings } from './cache-embeddings.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vectors-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function countingEmbedder(scale = 1): RerankerEmbedder & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    modelId: 'a/model',
    asked,
    canRead: (text) => text !== 'no',
    async doEmbed({ values }) {
      asked.push(...values);
      return { embeddings: values.map((text) => [text.length * scale, 1]) };
    },
  };
}

describe('cacheEmbeddings', () => {
  it('embeds a text once, across processes', async () => {
    for (const expected of [['a', 'bcd'], []]) {
      const embedder = countingEmbedder();
      const cached = await cacheEmbeddings(embedder, folder);
      const before = embedder.asked.length;
      const embeddings = [
        [3, 1],
        [1, 1],
        [3, 1],
      ];
      expect(await cached.doEmbed({ values: ['bcd', 'a', 'bcd'] })).toEqual({ embeddings });
      expect(await cached.doEmbed({ values: ['a'] })).toEqual({ embeddings: [[1, 1]] });
      expect(embedder.asked.slice(before).sort()).toEqual(expected);
    }
  });

  it('keeps the vectors of different models with the same name apart', async () => {
    await (await cacheEmbeddings(countingEmbedder(), folder)).doEmbed({ values: ['ab'] });
    const other = await cacheEmbeddings(countingEmbedder(10), folder);
    expect(await other.doEmbed({ values: ['ab'] })).toEqual({ embeddings: [[20, 1]] });
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('continues after a truncated record', async () => {
    await (await cacheEmbeddings(countingEmbedder(), folder)).doEmbed({ values: ['ab'] });
    appendFileSync(join(folder, readdirSync(folder)[0] ?? ''), Buffer.alloc(7, 1));
    await (await cacheEmbeddings(countingEmbedder(), folder)).doEmbed({ values: ['abc'] });
    const embedder = countingEmbedder();
    const cached = await cacheEmbeddings(embedder, folder);
    expect(await cached.doEmbed({ values: ['ab', 'abc'] })).toEqual({
      embeddings: [
        [2, 1],
        [3, 1],
      ],
    });
    expect(embedder.asked).not.toContain('ab');
  });

  it('passes on what the model reports about itself', async () => {
    const fitModel = { meaning: 1, bigrams: 0, cosine: 9, threshold: 5 };
    const cached = await cacheEmbeddings({ ...countingEmbedder(), fitModel }, folder);
    expect(cached.modelId).toBe('a/model');
    expect(cached.fitModel).toBe(fitModel);
    expect(cached.canRead?.('no')).toBe(false);
  });
});
