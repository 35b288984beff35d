import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SentenceReranker } from '@quartermaster/core/search';
import type { GatewayEvent } from '../events/index.ts';
import { serveReranker } from './reranker-calls.ts';
import type { BulkJob, ThreadJob, WorkerSettings } from './thread-job.ts';

/** Threads for work that would block the main one. They start with their first job, and again after one has died. */
export interface WorkerPool {
  /** Gives a job to a worker: jobs with the same beginning go to the same one, which may know their tools. */
  give(job: ThreadJob | BulkJob, beginning: Uint8Array): void;
  close(): Promise<void>;
}

export interface WorkerPoolOptions extends Omit<WorkerSettings, 'reranker' | 'memoryBytes'> {
  /** How much all workers together may keep. */
  readonly memoryBytes: number;
  /** The built file of the worker. */
  readonly workerUrl: URL;
  /** Also used by the workers, from here. */
  readonly reranker?: SentenceReranker | undefined;
  onEvent(event: GatewayEvent): void;
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { settings, search, reranker: stage, workerUrl, onEvent } = options;
  const memoryBytes = Math.floor(options.memoryBytes / workerCount());
  const workers: (Worker | undefined)[] = Array.from({ length: workerCount() });

  function start(slot: number): Worker {
    const reranker = stage === undefined ? undefined : serveReranker(stage);
    const worker = new Worker(workerUrl, {
      workerData: { settings, search, memoryBytes, reranker } satisfies WorkerSettings,
      transferList: reranker === undefined ? [] : [reranker.port],
    });
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

  return {
    give(job, beginning) {
      const slot = fingerprint(beginning) % workers.length;
      (workers[slot] ?? start(slot)).postMessage(job, [job.port]);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker?.terminate()));
    },
  };
}

/** More would compete with the main thread for the same cores. */
const MOST_WORKERS = 2;

function workerCount(): number {
  return Math.min(MOST_WORKERS, availableParallelism());
}

/** What follows the beginning seldom differs, and if it does, only a less suitable worker is chosen. */
function fingerprint(beginning: Uint8Array): number {
  return createHash('sha1').update(beginning).digest().readUInt32BE(0);
}
