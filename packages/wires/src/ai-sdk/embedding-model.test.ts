import type { EmbeddingModelV3, EmbeddingModelV4, RerankingModelV3, RerankingModelV4 } from '@ai-sdk/provider';
import type { Embedder, RerankerEmbedder, RerankingModel } from '@quartermaster/core/search';
import { describe, expectTypeOf, it } from 'vitest';

describe('the AI SDK’s embedding models', () => {
  it('are embedders for the reranker without an adapter', () => {
    expectTypeOf<EmbeddingModelV4>().toExtend<Embedder>();
    expectTypeOf<EmbeddingModelV3>().toExtend<Embedder>();
    expectTypeOf<EmbeddingModelV4>().toExtend<RerankerEmbedder>();
  });
});

describe('the AI SDK’s reranking models', () => {
  it('are reranking models without an adapter', () => {
    expectTypeOf<RerankingModelV4>().toExtend<RerankingModel>();
    expectTypeOf<RerankingModelV3>().toExtend<RerankingModel>();
  });
});
