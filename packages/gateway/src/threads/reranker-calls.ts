import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Tool } from '@quartermaster/core';
import { memoized } from '@quartermaster/core/internal';
import {
  type Asked,
  type Compared,
  type Reranker,
  type SentenceReranker,
  toolSentence,
} from '@quartermaster/core/search';
import { type ErrorCodec, portCalls } from './port-calls.ts';

/** What a worker needs to know of the reranker. */
export interface RerankerFacts extends Pick<Reranker, 'depth' | 'fitModel' | 'readsClauses'> {
  /** Where to ask it. */
  readonly port: MessagePort;
  /** Whether it computes vectors ahead of time. */
  readonly isPreparing: boolean;
}

/** Answers one worker's calls to the reranker, which stays on the main thread: one model and one cache for the process. */
export function serveReranker(stage: SentenceReranker): RerankerFacts {
  const { port1, port2 } = new MessageChannel();
  portCalls(port1, {
    errors: ERRORS,
    lost: () => new Error('The worker has ended'),
    handlers: {
      async prepare(sentences: readonly string[]): Promise<void> {
        await stage.prepare?.(sentences);
      },
      async compare(asked: readonly Asked<string>[], signal: AbortSignal): Promise<Compared> {
        const compared = await stage.compare(asked, signal);
        // The cause may be anything; a value that can't be copied would fail the search.
        return compared.kind === 'fallback' ? { kind: 'fallback', reason: compared.reason } : compared;
      },
    },
  });
  port1.unref();
  const { depth, fitModel, readsClauses } = stage;
  return { depth, fitModel, readsClauses, isPreparing: stage.prepare !== undefined, port: port2 };
}

/**
 * The reranker as a worker uses it. Tools are sent as the sentences that are compared: a definition can be a thousand times as long,
 * and the main thread would have to read it.
 */
export function remoteReranker({ depth, fitModel, readsClauses, isPreparing, port }: RerankerFacts): Reranker {
  const main = portCalls(port, { errors: ERRORS, lost: () => new Error('The main thread is gone'), handlers: {} });
  const sentenceOf = memoized((tool: Tool) => toolSentence(tool));

  async function prepare(tools: readonly Tool[]): Promise<void> {
    try {
      await main.call('prepare', tools.map(sentenceOf), undefined);
    } catch {
      // Searches request what they need.
    }
  }

  return {
    depth,
    fitModel,
    readsClauses,
    ...(isPreparing ? { prepare: (tools) => prepare(tools) } : {}),
    async compare(asked, signal) {
      // The clauses of a request share one list of tools, so one list of sentences is copied once.
      const listOf = memoized((tools: readonly Tool[]) => tools.map(sentenceOf));
      const written = asked.map(({ text, tools }): Asked<string> => ({ text, tools: listOf(tools) }));
      try {
        return (await main.call('compare', written, signal)) as Compared;
      } catch (cause) {
        signal?.throwIfAborted();
        return { kind: 'fallback', reason: 'The reranker could not be asked', cause };
      }
    },
  };
}

const ERRORS: ErrorCodec = {
  write: (error) => (error instanceof Error ? error.message : String(error)),
  read: (written) => new Error(String(written)),
};
