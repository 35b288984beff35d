import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { createGatekeeper, createUsageMeter } from './access/index.ts';
import { createBatchWorker, runBatchItem } from './batches/index.ts';
import { createBodyReader, createNamedCatalogs, createToolLists } from './catalogs/index.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { createSearcherFor } from './create-searcher-for.ts';
import { createModelService, surfacesFor } from './exchange/index.ts';
import { GATEWAY_DEFAULTS, type GatewayOptions, type GatewayStore, SEARCH_DEFAULTS } from './gateway-options.ts';
import { createReception } from './http/index.ts';
import { type Logger, NO_LOGGER } from './logger.ts';
import { createGatewayMetrics } from './metrics/index.ts';
import {
  mountBatchRoutes,
  mountCatalogRoutes,
  mountModelRoutes,
  mountStatusRoutes,
  type Services,
} from './routes/index.ts';
import { createThreadedModels } from './threads/index.ts';

/** An HTTP gateway as a web-standard handler. */
export interface Gateway {
  fetch(request: Request): Promise<Response>;
  /** Takes no more requests, waits for those under way, and gives back what it was doing for batches. */
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const settings = { ...GATEWAY_DEFAULTS, ...options.settings };
  const {
    upstreams,
    store,
    search = SEARCH_DEFAULTS,
    logger = NO_LOGGER,
    clock = SYSTEM_CLOCK,
    createId = randomId,
  } = options;
  const metrics = createGatewayMetrics();
  const lists = createToolLists({
    settings,
    catalogs: createNamedCatalogs(store?.catalogs, settings),
    onEvent: metrics.onToolboxEvent,
    searcher: createSearcherFor(search),
  });
  const bodies = createBodyReader(settings);
  const local = createModelService({ upstreams, lists, bodies, maxRounds: settings.maxRounds });
  const { workerUrl = WORKER_URL } = options;
  const threads =
    workerUrl === false
      ? undefined
      : createThreadedModels({
          ...{ local, upstreams, settings, search, workerUrl },
          onEvent: metrics.onToolboxEvent,
        });
  const models = threads ?? local;
  const surfaces = surfacesFor(settings);
  const gatekeeper = createGatekeeper({
    now: clock.now,
    configured: options.keys ?? [],
    ...(store === undefined ? {} : { keys: store.keys, rateLimits: store.rateLimits }),
  });
  const usage = store === undefined ? undefined : createUsageMeter({ usage: store.usage, clock, logger });
  const reception = createReception({
    ...{ gatekeeper, metrics, logger, createId, now: clock.now },
    ...(usage === undefined ? {} : { usage }),
  });
  const item = { gatekeeper, models, messages: surfaces.anthropic, createId };
  const worker =
    store === undefined
      ? undefined
      : createBatchWorker({
          ...{ batches: store.batches, concurrency: settings.batchConcurrency, clock, logger },
          async run(claimed, signal) {
            const result = await runBatchItem(claimed, item, signal);
            metrics.batchItems.add({ outcome: result.outcome });
            return result;
          },
        });
  metrics.registry.gauge('quartermaster_active_requests', 'Requests under way.', () => reception.active);
  metrics.registry.gauge('quartermaster_tools_bytes', 'Memory for known tools, estimated.', () => lists.bytes);

  let cancelSweep: () => void = () => undefined;
  if (store !== undefined) cancelSweep = sweepRegularly(store, { clock, logger });

  const app = new Hono();
  const services: Services = {
    ...{ settings, upstreams, store, reception, metrics, models, surfaces },
    onBatch: () => worker?.wake(),
  };
  mountModelRoutes(app, services);
  mountCatalogRoutes(app, services);
  mountBatchRoutes(app, services);
  mountStatusRoutes(app, services);

  return {
    fetch: async (request) => app.fetch(request),
    async close() {
      cancelSweep();
      await Promise.all([reception.close(), worker?.close()]);
      await Promise.all([threads?.close(), usage?.flush()]);
    },
  };
}

/** Beside this file once it is built. */
const WORKER_URL = new URL('./threads/exchange-worker.js', import.meta.url);

const SWEEP_MS = 60_000;

/** Any replica may do it, and none has to. */
function sweepRegularly(store: GatewayStore, { clock, logger }: { clock: Clock; logger: Logger }): () => void {
  let cancel: () => void = () => undefined;
  const schedule = (): void => {
    cancel = clock.after(SWEEP_MS, () => {
      store.sweep().catch(() => logger.log({ level: 'error', event: 'work-fail', work: 'sweep' }));
      schedule();
    });
  };
  schedule();
  return () => cancel();
}

function randomId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
