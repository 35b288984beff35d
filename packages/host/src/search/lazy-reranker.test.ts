import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import type { ChosenEngine } from './choose-engine.ts';
import { createLazyReranker } from './lazy-reranker.ts';

const TOOL = createTool({ name: 'send_mail', description: 'Send a mail' });
const ASKED = [{ text: 'write to Ada', tools: [TOOL] }];

describe('a lazy reranker', () => {
  it('chooses its model with the first search, and once', async () => {
    let chosen = 0;
    const embedder = { modelId: 'fake', doEmbed: async () => ({ embeddings: [[1, 0]] }) };
    const reranker = createLazyReranker(async () => {
      chosen += 1;
      return { engine: 'hybrid+reranker', reason: 'it loads', embedder } satisfies ChosenEngine;
    });
    expect(chosen).toBe(0);
    await reranker.compare(ASKED);
    expect(await reranker.compare(ASKED)).toEqual({ kind: 'compared', cosines: [Float32Array.of(1)] });
    expect(chosen).toBe(1);
  });

  it('says why there is no model', async () => {
    const reranker = createLazyReranker(async () => ({ engine: 'hybrid', reason: 'no ONNX runtime' }));
    await reranker.prepare?.([TOOL]);
    expect(await reranker.compare(ASKED)).toEqual({ kind: 'fallback', reason: 'no ONNX runtime' });
  });
});
