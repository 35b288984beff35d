import type { SearchText } from '../../catalog/index.ts';

/**
 * Gives texts their vectors. The shape is the part of the AI SDK's `EmbeddingModel` that we need, so that any of its
 * models is an `Embedder` as it stands.
 */
export interface Embedder {
  /** Names the model; vectors of one model are never compared with those of another. */
  readonly modelId: string;
  /** How many texts one call takes; undefined for no limit. */
  readonly maxEmbeddingsPerCall?: number | undefined | PromiseLike<number | undefined>;
  doEmbed(options: EmbedOptions): PromiseLike<{ readonly embeddings: readonly (readonly number[])[] }>;
}

/** What an embedder is asked, in the shape of the AI SDK's `doEmbed`. */
export interface EmbedOptions {
  values: string[];
  abortSignal?: AbortSignal;
}

/** An embedder at hand: in the process, without waiting, and aware of a tool's fields. */
export interface StaticEmbedder {
  /** Names the model; part of every cache key. */
  readonly modelId: string;
  readonly dimensions: number;
  /** Whether it has a vector for this lower-case word as a whole: one that it doesn't have may be misspelt. */
  knows(word: string): boolean;
  /** The unit vector of a request; all zeros when it has no known word. */
  query(text: string): Float32Array;
  /** The unit vector of a tool; all zeros when it has no known word. */
  tool(text: SearchText): Float32Array;
}
