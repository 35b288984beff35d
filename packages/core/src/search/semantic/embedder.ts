import type { SearchText } from '../../catalog/index.ts';

/**
 * Turns texts into vectors. The shape is the part of the AI SDK's `EmbeddingModel` that is needed, so that any of its models is an
 * `Embedder` without changes.
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

/** A synchronous embedder in this process that knows the fields of a tool. */
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
