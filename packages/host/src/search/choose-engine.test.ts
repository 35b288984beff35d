import { describe, expect, it } from 'vitest';
import { chooseEngine, type FoundReranker } from './choose-engine.ts';

const MODEL = { modelId: 'fake', doEmbed: async () => ({ embeddings: [] }) };
const found = async (): Promise<FoundReranker> => ({ kind: 'found', reranker: MODEL });
const missing = async (): Promise<FoundReranker> => ({ kind: 'missing', reason: 'No ONNX runtime' });
const never = async (): Promise<FoundReranker> => {
  throw new Error('nobody asked for the reranker');
};

describe('the engine', () => {
  it('is the reranker by default, if it loads', async () => {
    const chosen = await chooseEngine({ engine: 'auto' }, found);
    expect(chosen).toEqual({
      engine: 'hybrid+reranker',
      embedder: MODEL,
      reason: 'search.engine is auto, and the reranker loads',
    });
  });

  it('is the hybrid engine by default if the reranker does not load, with the reason', async () => {
    const chosen = await chooseEngine({ engine: 'auto' }, missing);
    expect(chosen).toEqual({
      engine: 'hybrid',
      reason: 'search.engine is auto, and the reranker does not load: No ONNX runtime',
    });
  });

  it.each(['hybrid', 'bm25'] as const)('loads no model for %s', async (engine) => {
    expect(await chooseEngine({ engine }, never)).toEqual({ engine, reason: `search.engine is ${engine}` });
  });

  it('that was requested by name is not replaced by another', async () => {
    await expect(chooseEngine({ engine: 'hybrid+reranker' }, missing)).rejects.toThrow(
      /can't run here: No ONNX runtime[\s\S]+search\.engine: hybrid/,
    );
  });
});
