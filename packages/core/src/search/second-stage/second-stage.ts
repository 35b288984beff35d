import type { Tool } from '../../catalog/index.ts';
import { SettingError } from '../../errors.ts';
import { QUERY_LIMITS } from '../query/index.ts';
import type { Embedder } from '../semantic/index.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import type { FitModel } from './fit-model.ts';
import { systemTimer, type Timer } from './timer.ts';
import { ToolVectors } from './tool-vectors.ts';
import { MEMORY_VECTOR_CACHE_DEFAULTS, type VectorCache } from './vector-cache.ts';

export interface SecondStageOptions {
  /** Any model of sentences: the one of `@quartermaster/reranker`, or an `EmbeddingModel` of the AI SDK. */
  readonly embedder: SecondStageEmbedder;
  /** How many of the first stage's best are looked at again, 1 to 200. @default 50 */
  readonly depth?: number;
  /** How long a search waits before it answers without, in milliseconds, 1 or more. @default 2_000 */
  readonly timeoutMs?: number;
  /** Bytes of tool vectors that are kept in memory, 0 or more. @default 64 MiB */
  readonly cacheBytes?: number;
  /** Where vectors outlast the process. @default nowhere */
  readonly store?: VectorCache;
  /** Ends what is being embedded when it aborts; nothing is embedded from then on. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Told whenever a search was answered without, and whenever the store failed. */
  readonly onEvent?: (event: SecondStageEvent) => void;
  /** @default `setTimeout` */
  readonly timer?: Timer;
}

/** An embedder that may know its limits. */
export interface SecondStageEmbedder extends Embedder {
  /** Whether the model makes sense of a request: a model of English alone only harms one in Chinese. @default always */
  canRead?(request: string): boolean;
  /**
   * What its cosines tell of whether anything fits: how high they are for what fits differs from model to model.
   * @default nothing, and the verdict is the first stage's
   */
  readonly fitModel?: FitModel;
}

export type SecondStageEvent =
  | { readonly kind: 'fallback'; readonly reason: string; readonly cause?: unknown }
  | { readonly kind: 'store-failed'; readonly cause: unknown };

/**
 * Looks again at the best of a ranking with a model that is too slow for a whole catalog. Vectors of tools are kept by
 * the content of their text, so that nothing is embedded twice, and nothing that no query came near. One stage can serve
 * the searchers of many snapshots.
 */
export interface SecondStage {
  readonly depth: number;
  /** The embedder's. */
  readonly fitModel?: FitModel | undefined;
  /** The cosines, or why there are none: a model that fails or is slow never fails a search. Rejects only on `signal`. */
  compare(asked: readonly Asked[], signal?: AbortSignal): Promise<Compared>;
}

/** Takes the sentence of a tool, as `toolSentence` writes it, for the tool: that is all that need cross from another thread. */
export interface SentenceStage extends SecondStage {
  compare(asked: readonly Asked<Tool | string>[], signal?: AbortSignal): Promise<Compared>;
}

/** One query, and the tools to compare it with. */
export interface Asked<Candidate = Tool> {
  readonly text: string;
  readonly tools: readonly Candidate[];
}

export type Compared =
  /** For each query the cosine of each of its tools, from -1 to 1; undefined for one that the model can't read. */
  | { readonly kind: 'compared'; readonly cosines: readonly (Float32Array | undefined)[] }
  | { readonly kind: 'fallback'; readonly reason: string; readonly cause?: unknown };

export const SECOND_STAGE_DEFAULTS: Required<Pick<SecondStageOptions, 'depth' | 'timeoutMs' | 'cacheBytes' | 'timer'>> =
  {
    depth: 50,
    timeoutMs: 2_000,
    cacheBytes: MEMORY_VECTOR_CACHE_DEFAULTS.maxBytes,
    timer: systemTimer,
  };

export function createSecondStage(options: SecondStageOptions): SentenceStage {
  const {
    embedder,
    depth,
    timeoutMs,
    cacheBytes,
    store,
    signal: ended,
    onEvent,
    timer,
  } = {
    ...SECOND_STAGE_DEFAULTS,
    ...options,
  };
  checkNumber('depth', depth, 1, MOST_DEPTH);
  checkNumber('timeoutMs', timeoutMs, 1, Number.MAX_SAFE_INTEGER);
  checkNumber('cacheBytes', cacheBytes, 0, Number.MAX_SAFE_INTEGER);
  const queue = new EmbeddingQueue({ embedder, timer, abandonMs: timeoutMs * PATIENCE, signal: ended });
  const toolVectors = new ToolVectors({
    modelId: embedder.modelId,
    queue,
    cacheBytes,
    store,
    onStoreFailure: (cause) => onEvent?.({ kind: 'store-failed', cause }),
  });

  /** The requests first, and alone: when they can't be embedded, no tool is sent. */
  async function compareAll(asked: readonly Asked<Tool | string>[]): Promise<readonly Float32Array[]> {
    const texts = [...new Set(asked.map(({ text }) => text))];
    const batches = queue.embed(texts, await queue.batchSize());
    const made = (await Promise.all(batches.map((batch) => batch.vectors))).flat();
    const requests = new Map(texts.map((text, at) => [text, made[at] as Float32Array]));
    const dimensions = made[0]?.length ?? 0;
    const tools = [...new Set(asked.flatMap((one) => one.tools))];
    const vectors = await toolVectors.read(tools, dimensions);
    const vectorOf = new Map(tools.map((tool, at) => [tool, vectors[at] as Float32Array]));
    return asked.map(({ text, tools: some }) => {
      const request = requests.get(text) as Float32Array;
      return Float32Array.from(some, (tool) => dot(request, vectorOf.get(tool) as Float32Array));
    });
  }

  return {
    depth,
    fitModel: embedder.fitModel,
    async compare(asked, signal) {
      signal?.throwIfAborted();
      const values = asked.map(({ text, tools }) => ({ text: toValue(text), tools }));
      const readable = values.filter(({ text, tools }) => {
        return text !== '' && tools.length > 0 && embedder.canRead?.(text) !== false;
      });
      if (readable.length === 0) return { kind: 'compared', cosines: values.map(() => undefined) };
      const outcome = await within(compareAll(readable), { timeoutMs, timer, signal });
      if (outcome.kind === 'fallback') {
        onEvent?.(outcome);
        return outcome;
      }
      return { kind: 'compared', cosines: values.map((one) => outcome.value[readable.indexOf(one)]) };
    },
  };
}

type Fallback = Extract<Compared, { readonly kind: 'fallback' }>;

/** What the work gives, or a fallback once it has failed or the time is up. Work that is late goes on. */
function within<Value>(
  work: Promise<Value>,
  { timeoutMs, timer, signal }: { timeoutMs: number; timer: Timer; signal: AbortSignal | undefined },
): Promise<{ readonly kind: 'done'; readonly value: Value } | Fallback> {
  return new Promise((resolve, reject) => {
    const cancel = timer(timeoutMs, () => {
      end();
      resolve({ kind: 'fallback', reason: `The second stage took longer than ${timeoutMs} ms` });
    });
    const abort = (): void => {
      end();
      reject(signal?.reason);
    };
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort, { once: true });
    work.then(
      (value) => {
        end();
        resolve({ kind: 'done', value });
      },
      (cause: unknown) => {
        end();
        resolve({ kind: 'fallback', reason: reasonOf(cause), cause });
      },
    );
  });
}

function reasonOf(cause: unknown): string {
  return `The second stage failed: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/** Providers refuse half a surrogate pair. */
function toValue(text: string): string {
  return text
    .slice(0, QUERY_LIMITS.characters)
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .trim();
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < left.length; i += 1) sum += (left[i] as number) * (right[i] as number);
  return sum;
}

function checkNumber(setting: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new SettingError(
    'invalid_setting',
    `${setting} is ${value}; allowed: a whole number from ${least} to ${most}`,
    {
      context: { setting, value },
    },
  );
}

const MOST_DEPTH = 200;
/** How many times a search's patience a call may take before it is given up. */
const PATIENCE = 15;
