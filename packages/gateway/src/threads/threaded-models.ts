import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { SentenceReranker } from '@quartermaster/core/search';
import type { Dialect } from '@quartermaster/host/upstream';
import { CATALOG_TYPE, locateTools } from '../catalogs/index.ts';
import type { GatewayEvent } from '../events/index.ts';
import type { ModelQuestion, ModelService, OpenExchange, Transcripts } from '../exchange/index.ts';
import { giveMemory } from '../http/index.ts';
import type { Upstreams } from '../upstreams.ts';
import { type MainSide, mainSide } from './main-side.ts';
import { serveReranker } from './reranker-calls.ts';
import type { ThreadJob, WorkerSettings } from './thread-job.ts';

export interface ThreadedModels extends ModelService {
  close(): Promise<void>;
}

export interface ThreadOptions extends Omit<WorkerSettings, 'reranker' | 'memoryBytes'> {
  /** What all workers together may keep. */
  readonly memoryBytes: number;
  /** Answers what is small. */
  readonly local: ModelService;
  readonly upstreams: Upstreams;
  /** Used by the workers too, from here. */
  readonly transcripts: Transcripts;
  /** The built file of the worker. */
  readonly workerUrl: URL;
  /** Used by the workers too, from here. */
  readonly reranker?: SentenceReranker | undefined;
  onEvent(event: GatewayEvent): void;
}

/**
 * Answers requests with large bodies in workers, so that one client can't hold up the others: parsing and indexing ten thousand
 * tools takes longer than everything else together. Bodies that begin with the same tools go to the same worker, which knows them.
 */
export function createThreadedModels(options: ThreadOptions): ThreadedModels {
  const { local, upstreams, transcripts, settings, search, reranker: stage, workerUrl, onEvent } = options;
  const memoryBytes = Math.floor(options.memoryBytes / workerCount());
  const workers: (Worker | undefined)[] = Array.from({ length: workerCount() });

  function workerFor(beginning: Buffer): Worker {
    const slot = fingerprint(beginning) % workers.length;
    const known = workers[slot];
    if (known !== undefined) return known;
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

  /** Undefined where the worker is not asked, or says that it can't. */
  async function elsewhere<Name extends Dialect, Value>(
    question: ModelQuestion<Name>,
    ask: (side: MainSide<Name>) => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    const { bytes, headers, surface, maxRounds, unavailable, access, requestId, leavesServers = false } = question;
    // Servers that are left to the host are rare, and not worth telling the worker.
    if (bytes.length < settings.offThreadBytes || leavesServers) return undefined;
    const beginning = beginningOfTools(bytes);
    // It would need the store; further down in the tools it is the worker that finds out.
    if (beginning.includes(CATALOG_TYPE)) return undefined;
    const { port1, port2 } = new MessageChannel();
    const side = mainSide(port1, { question, upstreams, transcripts });
    const job: ThreadJob = {
      ...{ bytes, maxRounds, unavailable, requestId },
      ...{ dialect: surface.dialect, limits: access.limits, owner: access.owner },
      ...{ headers: [...headers], port: port2 },
    };
    workerFor(beginning).postMessage(job, [port2]);
    return ask(side);
  }

  return {
    async open<Name extends Dialect>(question: ModelQuestion<Name>): Promise<OpenExchange<Name>> {
      const there = await elsewhere(question, (side) => side.open());
      const exchange = there ?? (await local.open(question));
      // Not after a failure: a worker may then be still reading it, and others may want to.
      giveMemory(question.bytes);
      return exchange;
    },
    async countTokens(question) {
      const there = await elsewhere(question, (side) => side.count());
      const tokens = there ?? (await local.countTokens(question));
      giveMemory(question.bytes);
      return tokens;
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

const BEGINNING_BYTES = 4096;

function beginningOfTools(bytes: Buffer): Buffer {
  const start = locateTools(bytes) ?? 0;
  return bytes.subarray(start, start + BEGINNING_BYTES);
}

/** What follows the beginning is seldom different, and then it is only the worker that is not the best. */
function fingerprint(beginning: Buffer): number {
  return createHash('sha1').update(beginning).digest().readUInt32BE(0);
}
