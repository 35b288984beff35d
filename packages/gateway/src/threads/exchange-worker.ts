import { parentPort, workerData } from 'node:worker_threads';
import { BACKGROUND_CLOCK } from '@quartermaster/core/internal';
import { configuredEngine, createSearcherFor } from '@quartermaster/host/search';
import { createBodyReader, createToolLists, MemoryBudget } from '../catalogs/index.ts';
import type { GatewayEvent } from '../events/index.ts';
import { dialectsFor } from '../exchange/index.ts';
import { createSearchEngines, createSearchService } from '../search/index.ts';
import { type BulkWork, createLocalBulk } from './bulk-work.ts';
import { portCalls } from './port-calls.ts';
import { remoteReranker } from './reranker-calls.ts';
import { OnlyMainError, serveJob } from './serve-job.ts';
import { workerErrors } from './thread-errors.ts';
import type { BulkJob, ThreadJob, WorkerSettings } from './thread-job.ts';

/** The file that a worker runs: requests with large bodies are parsed, indexed and answered here. */
const { settings, search, memoryBytes, reranker } = workerData as WorkerSettings;
const memory = new MemoryBudget(memoryBytes);
const searcher = createSearcherFor(search, {
  reranker: reranker === undefined ? undefined : remoteReranker(reranker),
});
const context = {
  bodies: createBodyReader({ memory }),
  lists: createToolLists({
    settings,
    memory,
    catalogs: {
      async load() {
        throw new OnlyMainError();
      },
    },
    searcher,
    onEvent: tellMain,
  }),
  maxRounds: settings.maxRounds,
  onEvent: tellMain,
  dialects: dialectsFor(settings),
};

const engines = createSearchEngines({
  configured: configuredEngine(search, reranker !== undefined),
  source: searcher,
  signal: new AbortController().signal,
});
const bulk = createLocalBulk(createSearchService({ engines, memory, now: BACKGROUND_CLOCK.now }), settings);

function tellMain(event: GatewayEvent): void {
  parentPort?.postMessage(event);
}

parentPort?.on('message', (job: ThreadJob | BulkJob) => {
  if (job.kind === 'bulk') serveBulk(job, bulk);
  else serveJob(job, context);
});

/** Does one piece of work inside a worker. */
function serveBulk({ bytes, owner, port }: BulkJob, work: BulkWork): void {
  const body = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), owner };
  const main = portCalls(port, {
    errors: workerErrors,
    lost: () => new Error('The request is over'),
    handlers: {
      readUpload: (maxTools: number) => work.readUpload(body, maxTools),
      readBatch: (maxItems: number) => work.readBatch(body, maxItems),
      readModel: () => work.readModel(body),
      search: (_: undefined, signal: AbortSignal) =>
        work.search(body, { signal, admit: async (count) => void (await main.call('admit', count, signal)) }),
    },
  });
}
