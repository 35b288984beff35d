import { BoundedMap } from '../../bounded-map.ts';
import type { Tool } from '../../catalog/index.ts';
import { sha256 } from '../../catalog/internal.ts';
import { checkOptionNames } from '../../check-option-names.ts';
import { malformed } from '../../upstream-error.ts';
import {
  type Asked,
  checkRerankerNumbers,
  compareWithin,
  RERANKER_DEFAULTS,
  type RerankerOptions,
  type SentenceReranker,
} from './create-reranker.ts';
import { toolSentence } from './tool-sentence.ts';

/**
 * Scores documents for a query: a cross-encoder, or a hosted service. The shape is the part of the AI SDK's `RerankingModel` that is
 * needed, so that any of its models (Cohere, Voyage, Jina, …) fits without changes.
 */
export interface RerankingModel {
  readonly modelId: string;
  doRerank(options: RerankOptions): PromiseLike<{
    readonly ranking: readonly { readonly index: number; readonly relevanceScore: number }[];
  }>;
}

/** What a reranking model is asked, in the shape of the AI SDK's `doRerank`. */
export interface RerankOptions {
  documents: { type: 'text'; values: string[] };
  query: string;
  topN?: number;
  abortSignal?: AbortSignal;
}

/** Options of `createModelReranker`. */
export interface ModelRerankerOptions
  extends Pick<RerankerOptions, 'depth' | 'timeoutMs' | 'signal' | 'onEvent' | 'timer'> {
  readonly model: RerankingModel;
  /** How many scores are kept, 0 or more. @default 50_000 */
  readonly cachedScores?: number;
}

const CACHED_SCORES = 50_000;
/** Calls at the same time, one for each query. */
const CONCURRENCY = 4;

/**
 * A reranker that asks a model for scores, with one call for each query, and caches the score of each query and tool. Clauses are not
 * scored separately, because every call may cost money.
 *
 * @example
 * const reranker = createModelReranker({ model: cohere.reranking('rerank-v3.5') });
 */
export function createModelReranker(options: ModelRerankerOptions): SentenceReranker {
  checkOptionNames('createModelReranker', options, 'model cachedScores depth timeoutMs signal onEvent timer');
  const { model, depth, timeoutMs, timer, onEvent, signal: ended } = { ...RERANKER_DEFAULTS, ...options };
  const { cachedScores = CACHED_SCORES } = options;
  checkRerankerNumbers({ depth, timeoutMs, cacheBytes: cachedScores });
  /** In the order of their last use. */
  const scores = new BoundedMap<string, number>(cachedScores);

  async function scoresOf({ text, tools }: Asked<Tool | string>, signal: AbortSignal): Promise<Float32Array> {
    const sentences = tools.map((tool) => (typeof tool === 'string' ? tool : toolSentence(tool)));
    const keys = sentences.map((sentence) => sha256([model.modelId, text, sentence]));
    const known = keys.map((key) => take(scores, key));
    const missing = [...keys.keys()].filter((at) => known[at] === undefined);
    if (missing.length > 0) {
      const values = missing.map((at) => sentences[at] as string);
      const answer: unknown = await model.doRerank({
        documents: { type: 'text', values },
        query: text,
        topN: values.length,
        abortSignal: signal,
      });
      onEvent?.({
        kind: 'call',
        modelId: model.modelId,
        texts: values.length + 1,
        characters: values.reduce((sum, { length }) => sum + length, text.length),
      });
      for (const [at, score] of readRanking(answer, values.length, model.modelId)) {
        const place = missing[at] as number;
        known[place] = score;
        scores.set(keys[place] as string, score);
      }
    }
    // A tool that the model left out of its ranking gets the lowest score that it gave.
    const least = known.reduce<number>((least, score) => Math.min(least, score ?? least), Number.POSITIVE_INFINITY);
    return Float32Array.from(known, (score) => score ?? (Number.isFinite(least) ? least : 0));
  }

  async function compareAll(asked: readonly Asked<Tool | string>[], signal: AbortSignal): Promise<Float32Array[]> {
    const found: Float32Array[] = new Array(asked.length);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < asked.length) {
        const at = next;
        next += 1;
        found[at] = await scoresOf(asked[at] as Asked<Tool | string>, signal);
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, asked.length) }, work));
    return found;
  }

  return {
    depth,
    readsClauses: false,
    async compare(asked, signal) {
      const controller = new AbortController();
      const stop = (): void => controller.abort();
      const signals = [signal, ended].filter((one) => one !== undefined);
      for (const one of signals) one.addEventListener('abort', stop, { once: true });
      if (ended?.aborted === true) stop();
      try {
        const work = (texts: typeof asked): Promise<Float32Array[]> => compareAll(texts, controller.signal);
        const compared = await compareWithin(asked, work, { timeoutMs, timer, signal, onEvent });
        // A late call would cost money, and nothing waits for its answer.
        if (compared.kind === 'fallback') controller.abort();
        return compared;
      } finally {
        for (const one of signals) one.removeEventListener('abort', stop);
      }
    },
  };
}

/** Makes the score the newest. */
function take(scores: BoundedMap<string, number>, key: string): number | undefined {
  const score = scores.get(key);
  if (score !== undefined) scores.set(key, score);
  return score;
}

/** The scores in a model's answer, which is not trusted, by index. */
function readRanking(answer: unknown, count: number, modelId: string): Map<number, number> {
  const ranking = (answer as { readonly ranking?: unknown } | undefined | null)?.ranking;
  const found = new Map<number, number>();
  for (const one of Array.isArray(ranking) ? ranking : []) {
    const { index, relevanceScore: score } = (one ?? {}) as {
      readonly index?: unknown;
      readonly relevanceScore?: unknown;
    };
    const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count;
    if (isPlace && typeof score === 'number' && Number.isFinite(score)) found.set(index, score);
  }
  if (found.size > 0) return found;
  throw malformed(`The reranking model "${modelId}" ranked none of ${count} texts`, { context: { modelId } });
}
