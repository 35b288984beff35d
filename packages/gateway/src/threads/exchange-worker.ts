import { parentPort, workerData } from 'node:worker_threads';
import { createSearcherFor } from '@quartermaster/host/search';
import type { Dialect } from '@quartermaster/host/upstream';
import { createBodyReader, createToolLists, MemoryBudget } from '../catalogs/index.ts';
import type { GatewayEvent } from '../events/index.ts';
import { type Surface, surfacesFor } from '../exchange/index.ts';
import { remoteReranker } from './reranker-calls.ts';
import { OnlyMainError, serveJob } from './serve-job.ts';
import type { ThreadJob, WorkerSettings } from './thread-job.ts';

/** The file that a worker runs: requests with large bodies are parsed, indexed and answered here. */
const { settings, search, memoryBytes, reranker } = workerData as WorkerSettings;
const memory = new MemoryBudget(memoryBytes);
const surfaces = surfacesFor(settings);
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
    searcher: createSearcherFor(search, { reranker: reranker === undefined ? undefined : remoteReranker(reranker) }),
    onEvent: tellMain,
  }),
  maxRounds: settings.maxRounds,
  onEvent: tellMain,
  surface: (dialect: Dialect) => surfaces[dialect] as Surface<Dialect>,
};

function tellMain(event: GatewayEvent): void {
  parentPort?.postMessage(event);
}

parentPort?.on('message', (job: ThreadJob) => serveJob(job, context));
