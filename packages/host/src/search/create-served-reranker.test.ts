import { createTool } from '@quartermaster/core/catalog';
import type { RerankerEvent } from '@quartermaster/core/search';
import { describe, expect, it } from 'vitest';
import type { ChosenEngine } from './choose-engine.ts';
import { createLazyReranker, createServedReranker } from './create-served-reranker.ts';

const ASKED = [{ text: 'mail', tools: [createTool({ name: 'send_mail' })] }];

describe('a reranker that serves', () => {
  function brokenStage() {
    let time = 0;
    const told: (readonly [RerankerEvent['kind'], number])[] = [];
    const counted: RerankerEvent['kind'][] = [];
    const closed = new AbortController();
    const stage = createServedReranker({
      embedder: { modelId: 'broken', doEmbed: () => Promise.reject(new Error('broken')) },
      signal: closed.signal,
      now: () => time,
      count: ({ kind }) => counted.push(kind),
      tell: ({ kind }, times) => told.push([kind, times]),
    });
    return { stage, told, counted, closed, pass: (ms: number) => (time += ms) };
  }

  it('reports a failure at once, then once a minute how often it occurred', async () => {
    const { stage, told, counted, pass } = brokenStage();
    for (const ms of [0, 10_000, 49_999, 1, 1]) {
      pass(ms);
      await stage.compare(ASKED);
    }
    expect(told).toEqual([
      ['fallback', 1],
      ['fallback', 3],
    ]);
    expect(counted).toHaveLength(5);
  });

  it('reports nothing after it has ended', async () => {
    const { stage, told, counted, closed } = brokenStage();
    closed.abort();
    expect((await stage.compare(ASKED)).kind).toBe('fallback');
    expect([...told, ...counted]).toEqual([]);
  });

  it('chooses its model when a search first needs it, and reports its failures', async () => {
    let chosen = 0;
    const told: string[] = [];
    const stage = createServedReranker({
      choose: async () => {
        chosen += 1;
        const embedder = { modelId: 'broken', doEmbed: () => Promise.reject(new Error('broken')) };
        return { engine: 'hybrid+reranker', reason: 'it loads', embedder };
      },
      signal: new AbortController().signal,
      now: () => 0,
      tell: ({ kind }) => told.push(kind),
    });
    expect(chosen).toBe(0);
    await stage.compare(ASKED);
    await stage.compare(ASKED);
    expect([chosen, told]).toEqual([1, ['fallback']]);
  });
});

const TOOL = createTool({ name: 'send_mail', description: 'Send a mail' });
const ASKED_OF_TOOL = [{ text: 'write to Ada', tools: [TOOL] }];

describe('a lazy reranker', () => {
  it('chooses its model with the first search, and once', async () => {
    let chosen = 0;
    const embedder = { modelId: 'fake', doEmbed: async () => ({ embeddings: [[1, 0]] }) };
    const reranker = createLazyReranker(async () => {
      chosen += 1;
      return { engine: 'hybrid+reranker', reason: 'it loads', embedder } satisfies ChosenEngine;
    });
    expect(chosen).toBe(0);
    await reranker.compare(ASKED_OF_TOOL);
    expect(await reranker.compare(ASKED_OF_TOOL)).toEqual({ kind: 'compared', cosines: [Float32Array.of(1)] });
    expect(chosen).toBe(1);
  });

  it('says why there is no model', async () => {
    const reranker = createLazyReranker(async () => ({ engine: 'hybrid', reason: 'no ONNX runtime' }));
    await reranker.prepare?.([TOOL]);
    expect(await reranker.compare(ASKED_OF_TOOL)).toEqual({ kind: 'fallback', reason: 'no ONNX runtime' });
  });
});
