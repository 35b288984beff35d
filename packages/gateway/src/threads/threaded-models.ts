import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ToolboxEvent } from '@quartermaster/core';
import type { Dialect } from '@quartermaster/host/upstream';
import { CATALOG_TYPE, locateTools } from '../catalogs/index.ts';
import type { ModelQuestion, ModelService, OpenExchange } from '../exchange/index.ts';
import type { Upstreams } from '../upstreams.ts';
import { mainSide } from './main-side.ts';
import type { ThreadJob, WorkerSettings } from './thread-job.ts';

export interface ThreadedModels extends ModelService {
  close(): Promise<void>;
}

export interface ThreadOptions extends WorkerSettings {
  /** Answers what is small. */
  readonly local: ModelService;
  readonly upstreams: Upstreams;
  /** The built file of the worker. */
  readonly workerUrl: URL;
  onEvent(event: ToolboxEvent): void;
}

/**
 * Answers requests with large bodies in workers, so that one client can't hold up the others: parsing and indexing ten thousand
 * tools takes longer than everything else together. Bodies that begin with the same tools go to the same worker, which knows them.
 */
export function createThreadedModels(options: ThreadOptions): ThreadedModels {
  const { local, upstreams, settings, search, workerUrl, onEvent } = options;
  const workers: (Worker | undefined)[] = Array.from({ length: Math.min(MOST_WORKERS, availableParallelism()) });

  function workerFor(bytes: Buffer): Worker {
    const slot = fingerprint(bytes) % workers.length;
    const known = workers[slot];
    if (known !== undefined) return known;
    const worker = new Worker(workerUrl, { workerData: { settings, search } satisfies WorkerSettings });
    worker.unref();
    worker.on('message', onEvent);
    const forget = (): void => {
      if (workers[slot] === worker) workers[slot] = undefined;
    };
    // Its requests fail with their ports, and the next one starts another worker.
    worker.on('error', forget);
    worker.on('exit', forget);
    workers[slot] = worker;
    return worker;
  }

  function isSmall(bytes: Buffer): boolean {
    return bytes.length < settings.offThreadBytes || bytes.includes(CATALOG_TYPE);
  }

  function begin<Name extends Dialect>(kind: ThreadJob['kind'], question: ModelQuestion<Name>) {
    const { port1, port2 } = new MessageChannel();
    const side = mainSide(port1, { question, upstreams });
    const { bytes, headers, surface } = question;
    const job: ThreadJob = { kind, dialect: surface.dialect, bytes, headers: [...headers], port: port2 };
    workerFor(bytes).postMessage(job, [port2]);
    return side;
  }

  return {
    async open<Name extends Dialect>(question: ModelQuestion<Name>): Promise<OpenExchange<Name>> {
      return isSmall(question.bytes) ? local.open(question) : begin('open', question).open();
    },
    async countTokens(question) {
      return isSmall(question.bytes) ? local.countTokens(question) : begin('count', question).count();
    },
    async close() {
      await Promise.all(workers.map((worker) => worker?.terminate()));
    },
  };
}

/** More would compete with the main thread for the same cores. */
const MOST_WORKERS = 2;

const FINGERPRINT_BYTES = 4096;

/** By the beginning of the tools: what follows is seldom different, and then it is only the worker that is not the best. */
function fingerprint(bytes: Buffer): number {
  const start = locateTools(bytes) ?? 0;
  return createHash('sha1')
    .update(bytes.subarray(start, start + FINGERPRINT_BYTES))
    .digest()
    .readUInt32BE(0);
}
