import { getHeapStatistics } from 'node:v8';
import type { Snapshot } from '@quartermaster/core';
import { SettingError } from '@quartermaster/core/errors';
import {
  BACKGROUND_CLOCK,
  type Clock,
  checkOptionNames,
  defined,
  every,
  type OptionNames,
} from '@quartermaster/core/internal';
import type { Reranker } from '@quartermaster/core/search';
import { CONFIG_DEFAULTS } from '@quartermaster/host/config';
import { configuredEngine, createSearcherFor, createUseLearning } from '@quartermaster/host/search';
import { compilePermissions } from '@quartermaster/mcp';
import { embeddedModel } from '@quartermaster/semantic';
import { Hono } from 'hono';
import { createGatekeeper, createUsageMeter } from './access/index.ts';
import { createApi } from './api/index.ts';
import { type BatchItemContext, createBatchWorker, runBatchItem } from './batches/index.ts';
import {
  countSearchers,
  createBodyReader,
  createIndexedCatalogs,
  createNamedCatalogs,
  createToolLists,
  type IndexedCatalogs,
  MemoryBudget,
} from './catalogs/index.ts';
import { createConnector } from './connector/index.ts';
import { createGatewayReranker } from './create-gateway-reranker.ts';
import { createMcpServices } from './create-mcp-services.ts';
import { createTranscripts } from './create-transcripts.ts';
import { createActivity, type EventSink, explainEvent, NO_ACTIVITY } from './events/index.ts';
import { createModelService, createModels, dialectsFor, observeUpstreams, type Transcripts } from './exchange/index.ts';
import { GATEWAY_DEFAULTS, type GatewayOptions, SEARCH_DEFAULTS } from './gateway-options.ts';
import { createRequestMemory, createRequestRunner, originOf, randomId, withRequestId } from './http/index.ts';
import {
  createActivityLog,
  createAdaptation,
  createInsightMeter,
  createWireLog,
  insightSink,
  learningSink,
} from './insight/index.ts';
import { NO_LOGGER } from './logger.ts';
import { createLivePolicies } from './management/index.ts';
import { addProcessMetrics, createGatewayMetrics, MCP_CATALOG } from './metrics/index.ts';
import { mountRoutes, type Services } from './routes/index.ts';
import { createSearchEngines, createSearchService } from './search/index.ts';
import { createLocalBulk, createThreadedBulk, createThreadedModels, createWorkerPool } from './threads/index.ts';

/** An HTTP gateway as a web-standard handler. */
export interface Gateway {
  fetch(request: Request): Promise<Response>;
  /** Accepts no more requests, waits for those in progress, and returns batch items to the queue. */
  close(): Promise<void>;
}

const OPTIONS: OptionNames<GatewayOptions> = {
  upstreams: true,
  keys: true,
  store: true,
  mcp: true,
  connector: true,
  settings: true,
  transcripts: true,
  search: true,
  reranker: true,
  indexCache: true,
  workerUrl: true,
  lint: true,
  console: true,
  clock: true,
  createId: true,
  tracing: true,
  logger: true,
};

/** A gateway, as a function from request to response. */
export function createGateway(options: GatewayOptions): Gateway {
  checkOptionNames('createGateway', options, OPTIONS);
  checkOptionNames('settings', options.settings ?? {}, { ...GATEWAY_DEFAULTS, publicUrl: true });
  const settings = { ...GATEWAY_DEFAULTS, ...options.settings };
  const {
    store,
    search = SEARCH_DEFAULTS,
    logger = NO_LOGGER,
    clock = BACKGROUND_CLOCK,
    createId = randomId,
    indexCache,
  } = options;
  // Events end spans.
  const tracing = settings.events ? options.tracing : undefined;
  const settle = (): void => activity.settle();
  const metrics = createGatewayMetrics(settle);
  const { workerUrl = WORKER_URL } = options;
  const memory = new MemoryBudget(settings.cacheBytes * (workerUrl === false ? 1 : 1 - WORKERS_SHARE));
  const log = createActivityLog(memory, settle);
  const learning =
    settings.learn === 'off' || store?.learnedUses === undefined
      ? undefined
      : createUseLearning({
          learn: settings.learn,
          embed: (query) => embeddedModel().query(query),
          ...{ store: store.learnedUses, clock },
          onError: (error) => logger.log({ level: 'warn', event: 'work-fail', work: 'learning', ...originOf(error) }),
        });
  const meter = createInsightMeter({ store: store?.insight, settings: settings.insight, clock, logger, settle });
  const adaptation = settings.deferral === 'adaptive' ? createAdaptation() : undefined;
  const usage = createUsageMeter({ usage: store?.usage, clock, logger, settle });
  const prompt: EventSink[] = [];
  if (adaptation !== undefined || learning !== undefined) prompt.push(learningSink(adaptation, learning));
  if (tracing !== undefined) prompt.push(tracing.onEvent);
  if (logger.isDebugging === true) {
    prompt.push((event) => {
      const explained = explainEvent(event);
      if (explained !== undefined) logger.log(explained);
    });
  }
  const counting = [metrics.onEvent, usage.onEvent, insightSink(log, meter)];
  const activity = settings.events ? createActivity({ prompt, counting, clock, list: log }) : NO_ACTIVITY;
  const onEvent = activity.emit;
  const wire = settings.insight.wire ? createWireLog(clock.now) : undefined;
  const observers = [tracing, wire].filter((one) => one !== undefined);
  const upstreams = observeUpstreams(adaptation?.adapt(options.upstreams) ?? options.upstreams, observers);
  const stopping = new AbortController();
  const closed = new AbortController();
  const reranker = createGatewayReranker(options, { onEvent, logger, clock, memory, signal: closed.signal });
  // The tools of a request may differ each time: stored, they would displace the catalogs that are used again.
  const cacheOf = ({ contentKey }: Snapshot) => (contentKey === undefined ? undefined : indexCache);
  const searcher = createSearcherFor(search, { signal: closed.signal, reranker, cache: cacheOf });
  const stored = createSearcherFor(search, { signal: closed.signal, reranker, cache: indexCache });
  const mcp =
    options.mcp === undefined
      ? undefined
      : createMcpServices(options.mcp, {
          ...{ settings, clock, emit: onEvent, tracing, learning, taskOwners: store?.taskOwners },
          searcher: countSearchers(stored, memory),
        });
  if (mcp !== undefined) metrics.watchCatalog(MCP_CATALOG, () => mcp.hub.snapshot().tools.length);
  const policies = createLivePolicies({ settings: settings.policies, store: store?.policies, hub: mcp?.hub });
  const indexed = search.backend === 'postgres' ? indexCatalogs(options, { clock, reranker }) : undefined;
  const catalogs = createNamedCatalogs(store?.catalogs, {
    compile: compilePermissions,
    memory,
    servers: mcp?.catalogs,
    policies,
    onLoad: indexed?.note,
  });
  const engines = createSearchEngines({
    configured: configuredEngine(search, reranker !== undefined),
    source: searcher,
    signal: closed.signal,
    cacheOf,
  });
  const lists = createToolLists({
    settings,
    memory,
    catalogs,
    ...(settings.events ? { onEvent } : {}),
    searcher: indexed?.sourceOver(searcher) ?? searcher,
    learning,
  });
  const bodies = createBodyReader({ memory });
  const kept = createTranscripts({ given: options.transcripts, records: store?.transcripts, memory });
  const transcripts: Transcripts = {
    storeFor: kept.storeFor,
    onError: () => logger.log({ level: 'warn', event: 'work-fail', work: 'transcript' }),
  };
  const pool =
    workerUrl === false
      ? undefined
      : createWorkerPool({
          ...{ settings, search, reranker, workerUrl, onEvent },
          memoryBytes: settings.cacheBytes * WORKERS_SHARE,
        });
  const { offThreadBytes } = settings;
  const searchService = createSearchService({ engines, memory, now: () => performance.now() });
  const localBulk = createLocalBulk(searchService, settings);
  const models = createModels({
    offThreadBytes,
    here: createModelService({
      ...{ upstreams, lists, bodies, transcripts, maxRounds: settings.maxRounds },
      onEvent: settings.events ? onEvent : undefined,
    }),
    workers: pool === undefined ? undefined : createThreadedModels({ pool, upstreams, transcripts }),
    connector: (plain) =>
      createConnector({
        ...{ models: plain, upstreams, now: clock.now, memory },
        onCall({ pattern: server, requestId = '', ...call }) {
          onEvent({ kind: 'server-call-end', server, isConfigured: false, ...call, requestId });
        },
        settings: { ...CONFIG_DEFAULTS.mcp.connector, ...options.connector },
        beginCall: tracing?.beginCall,
      }),
  });
  const dialects = dialectsFor(settings);
  const gatekeeper = createGatekeeper({
    clock,
    configured: options.keys ?? [],
    ...(store === undefined ? {} : { keys: store.keys, rateLimits: store.rateLimits }),
  });
  const inProgress = createRequestMemory(
    Math.min(settings.maxInProgressBytes, getHeapStatistics().heap_size_limit * REQUESTS_SHARE),
  );
  const runner = createRequestRunner({
    gatekeeper,
    memory: inProgress,
    activity,
    tracing,
    logger: options.logger,
    createId,
    now: clock.now,
  });
  const item: BatchItemContext = {
    ...{ gatekeeper, models, messages: dialects.anthropic, createId, maxRounds: settings.maxRounds },
    ...{ activity, tracing, logger, now: clock.now },
  };
  const worker =
    store === undefined
      ? undefined
      : createBatchWorker({
          ...{ batches: store.batches, concurrency: settings.batchConcurrency, clock, logger },
          async run(claimed, work) {
            const result = await runBatchItem(claimed, item, work);
            onEvent({ kind: 'batch-item-end', outcome: result.outcome });
            return result;
          },
        });
  addProcessMetrics(metrics.registry);
  metrics.registry.gauge('quartermaster_active_requests', 'Requests in progress.', () => runner.active);
  metrics.registry.gauge(
    'quartermaster_request_bytes',
    'Estimated bytes of the requests in progress, limited by limits.inProgressBytes.',
    () => inProgress.bytes,
  );
  metrics.registry.gauge(
    'quartermaster_tools_bytes',
    'Memory for known lists of tools and their indexes, on the main thread.',
    () => lists.bytes,
  );
  metrics.registry.gauge(
    'quartermaster_cache_bytes',
    'Bytes in all caches of the main thread, limited by limits.indexCacheBytes.',
    () => Math.round(memory.bytes),
  );

  /** Any replica may drop what is out of date, and none has to. */
  const sweep = (): void => {
    for (const work of [store?.sweep(), kept.sweep(), meter.sweep(), policies.refresh()]) {
      work?.catch((error: unknown) => {
        logger.log({ level: 'error', event: 'work-fail', work: 'sweep', ...originOf(error) });
      });
    }
  };
  const stopSweeping = store === undefined ? undefined : every(clock, SWEEP_MS, sweep);

  const services: Services = {
    ...{ settings, upstreams, store, clock, runner, metrics, usage, models, dialects, mcp },
    activity,
    learning,
    insight: { log, meter, wire, closed: stopping.signal },
    ...{ gatekeeper, policies, configuredKeys: options.keys ?? [], lint: options.lint },
    storedFor: kept.storeFor,
    ...{ catalogs, indexed },
    search: { engines, service: searchService },
    bulk: pool === undefined ? localBulk : createThreadedBulk({ pool, local: localBulk, offThreadBytes }),
    console: options.console,
    onBatch: () => worker?.wake(),
  };
  const app = new Hono();
  mountRoutes(createApi(app), services);

  return {
    fetch: withRequestId(app.fetch, createId),
    async close() {
      stopSweeping?.();
      stopping.abort();
      await Promise.all([runner.close(), worker?.close()]);
      await mcp?.close();
      // No more searches follow, and a build in progress would keep the process alive.
      closed.abort();
      await Promise.all([pool?.close(), usage.flush(), learning?.flush(), meter.flush().catch(() => undefined)]);
      await models.close();
      await options.tracing?.close();
    },
  };
}

const SWEEP_MS = 60_000;

/** How much of the engine's heap the requests in progress may take: the process ends when it is full. */
const REQUESTS_SHARE = 1 / 2;

/** The workers' part of the memory; large bodies go to them. */
const WORKERS_SHARE = 1 / 2;

/** The index in the store's PostgreSQL, opened on first use. */
function indexCatalogs(
  { store, search = SEARCH_DEFAULTS }: GatewayOptions,
  { clock, reranker }: { readonly clock: Clock; readonly reranker: Reranker | undefined },
): IndexedCatalogs {
  const openToolIndex = store?.openToolIndex;
  if (store === undefined || openToolIndex === undefined) {
    throw new SettingError('invalid_setting', 'search.backend is postgres, which needs a PostgreSQL store', {
      context: { setting: 'search.backend', value: 'postgres' },
    });
  }
  return createIndexedCatalogs({
    open: () => openToolIndex({ embedder: embeddedModel() }),
    catalogs: store.catalogs,
    now: clock.now,
    tuning: {
      ...(search.engine === 'hybrid' ? {} : defined({ reranker })),
      ...(search.whenNothingFits === 'best' ? { leastConfidence: 0 } : {}),
    },
  });
}

/** In the same folder as this file once it is built. */
const WORKER_URL = new URL('./threads/exchange-worker.js', import.meta.url);
