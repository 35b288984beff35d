import type { Embedder } from '../semantic/embedder.ts';
import { tokenize } from '../text/tokenize.ts';
import type { Timer } from './create-reranker.ts';

/** An embedder that writes down what it is asked, and answers when and how a test wants. */
export interface FakeEmbedder extends Embedder {
  /** The texts of each call. */
  readonly calls: readonly (readonly string[])[];
  /** The most calls that were under way at the same time. */
  readonly mostAtOnce: number;
  readonly signals: readonly AbortSignal[];
}

export interface FakeEmbedderOptions {
  readonly limit?: Embedder['maxEmbeddingsPerCall'];
  /** Awaited before each answer. */
  readonly hold?: (call: number) => Promise<unknown>;
  /** The answer in place of the right one. */
  readonly answer?: (values: readonly string[], call: number) => unknown;
}

const DIMENSIONS = 64;

/** A bag of hashed words: texts with words in common are near. */
export function fakeEmbedder({ limit, hold, answer }: FakeEmbedderOptions = {}): FakeEmbedder {
  const calls: string[][] = [];
  const signals: AbortSignal[] = [];
  let [running, mostAtOnce] = [0, 0];
  return {
    modelId: 'fake',
    maxEmbeddingsPerCall: limit,
    calls,
    signals,
    get mostAtOnce() {
      return mostAtOnce;
    },
    async doEmbed({ values, abortSignal }) {
      const call = calls.push([...values]) - 1;
      if (abortSignal !== undefined) signals.push(abortSignal);
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      try {
        await hold?.(call);
        return (answer?.(values, call) ?? { embeddings: values.map(embed) }) as { embeddings: number[][] };
      } finally {
        running -= 1;
      }
    },
  };
}

export function embed(text: string): number[] {
  const vector: number[] = new Array(DIMENSIONS).fill(0);
  for (const { text: word } of tokenize(text)) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
    vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] ?? 0) + 1;
  }
  return vector;
}

/** A timer that only runs what it is told to. */
export function manualTimer(): { readonly timer: Timer; readonly fire: (delayMs: number) => void } {
  const waiting = new Set<{ readonly delayMs: number; readonly run: () => void }>();
  return {
    timer: (delayMs, run) => {
      const entry = { delayMs, run };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    fire: (delayMs) => {
      for (const entry of [...waiting].filter((one) => one.delayMs === delayMs)) {
        waiting.delete(entry);
        entry.run();
      }
    },
  };
}
