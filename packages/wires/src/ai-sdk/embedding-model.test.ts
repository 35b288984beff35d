import type { EmbeddingModelV3, EmbeddingModelV4 } from '@ai-sdk/provider';
import type { Embedder, SecondStageEmbedder } from '@quartermaster/core';
import { describe, expectTypeOf, it } from 'vitest';

describe('the AI SDK’s embedding models', () => {
  it('are embedders for the second stage as they stand', () => {
    expectTypeOf<EmbeddingModelV4>().toExtend<Embedder>();
    expectTypeOf<EmbeddingModelV3>().toExtend<Embedder>();
    expectTypeOf<EmbeddingModelV4>().toExtend<SecondStageEmbedder>();
  });
});
