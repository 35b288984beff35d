import { randomUUID } from 'node:crypto';
import type { Snapshot, ToolboxEvent } from '@quartermaster/core';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import { contextWindow } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import { createArgumentChecker } from '@quartermaster/host/schema';
import { createSearcherFor } from '@quartermaster/host/search';
import { compilePermissions, createProxy } from '@quartermaster/mcp';
import { Hono } from 'hono';
import { type Access, createGatekeeper, createUsageMeter, type UsageMeter } from './access/index.ts';
import { createApi } from './api/index.ts';
import { type BatchItemContext, createBatchWorker, runBatchItem } from './batches/index.ts';
import { createBodyReader, createNamedCatalogs, createToolLists, MemoryBudget } from './catalogs/index.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { createConnectedModels } from './connector/index.ts';
import { createGatewayReranker } from './create-gateway-reranker.ts';
import { createTranscripts } from './create-transcripts.ts';
import { createActivity, explainEvent, type GatewayEvent } from './events/index.ts';
import { createModelService, dialectsFor, type Transcripts, tallyUse } from './exchange/index.ts';
import {
  CONNECTOR_DEFAULTS,
  GATEWAY_DEFAULTS,
  type GatewayOptions,
  type GatewaySettings,
  type McpOptions,
  SEARCH_DEFAULTS,
} from './gateway-options.ts';
import { createRequestRunner, faultOf, originOf } from './http/index.ts';
import { createActivityLog, createSavingsMeter } from './insight/index.ts';
import { type Logger, NO_LOGGER } from './logger.ts';
import { createLivePolicies } from './management/index.ts';
import { createServerCatalogs } from './mcp/index.ts';
import { addProcessMetrics, createGatewayMetrics, type GatewayMetrics } from './metrics/index.ts';
import {
  type McpServices,
  mountBatchRoutes,
  mountCatalogRoutes,
  mountConsoleRoutes,
  mountConversationRoutes,
  mountInsightRoutes,
  mountKeyRoutes,
  mountMcpRoutes,
  mountModelRoutes,
  mountSearchRoutes,
  mountServerRoutes,
  mountStatusRoutes,
  mountStoredRoutes,
  type Services,
} from './routes/index.ts';
import { configuredEngine, createSearchEngines, createSearchService } from './search/index.ts';
import { createLocalBulk, createThreadedBulk, createThreadedModels, createWorkerPool } from './threads/index.ts';

/** An HTTP gateway as a web-standard handler. */
export interface Gateway {
  fetch(request: Request): Promise<Response>;
  /** Takes no more requests, waits for those under way, and gives back what it was doing for batches. */
  close(): Promise<void>;
}

/** A gateway, as a function from request to response. */
export function createGateway(options: GatewayOptions): Gateway {
  const settings = { ...GATEWAY_DEFAULTS, ...options.settings };
  const {
    upstreams,
    store,
    search = SEARCH_DEFAULTS,
    logger = NO_LOGGER,
    clock = SYSTEM_CLOCK,
    createId = randomId,
    indexCache,
  } = options;
  const metrics = createGatewayMetrics();
  const log = createActivityLog();
  const savings = createSavingsMeter(clock.now);
  const activity = createActivity([metrics.onRequest, log.add, savings.add]);
  const onEvent = (event: GatewayEvent): void => {
    metrics.onEvent(event);
    activity.note(event);
    const explained = logger.isDebugging === true ? explainEvent(event) : undefined;
    if (explained !== undefined) logger.log(explained);
  };
  const stopping = new AbortController();
  const closed = new AbortController();
  const reranker = createGatewayReranker(options, { metrics, logger, clock, signal: closed.signal });
  // The tools of a request may differ each time: kept, they would push out the catalogs that come again.
  const cacheOf = ({ contentKey }: Snapshot) => (contentKey === undefined ? undefined : indexCache);
  const searcher = createSearcherFor(search, { signal: closed.signal, reranker, cache: cacheOf });
  const usage = createUsageMeter({ metrics, usage: store?.usage, clock, logger });
  const mcp =
    options.mcp === undefined
      ? undefined
      : createMcpServices(options.mcp, {
          settings,
          searcher: createSearcherFor(search, { signal: closed.signal, reranker, cache: indexCache }),
          clock,
          onEvent: countMcpEvents(options.mcp, metrics, usage),
        });
  const { workerUrl = WORKER_URL } = options;
  const memory = new MemoryBudget(settings.cacheBytes * (workerUrl === false ? 1 : 1 - WORKERS_SHARE));
  const policies = createLivePolicies({ settings: settings.policies, store: store?.policies, hub: mcp?.hub });
  const catalogs = createNamedCatalogs(store?.catalogs, {
    compile: compilePermissions,
    memory,
    servers: mcp?.catalogs,
    policies,
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
    onEvent,
    searcher,
  });
  const bodies = createBodyReader({ memory });
  const kept = createTranscripts({ given: options.transcripts, records: store?.transcripts });
  const transcripts: Transcripts = {
    storeFor: kept.storeFor,
    onError: () => logger.log({ level: 'warn', event: 'work-fail', work: 'transcript' }),
  };
  const local = createModelService({ upstreams, lists, bodies, transcripts, onEvent, maxRounds: settings.maxRounds });
  const pool =
    workerUrl === false
      ? undefined
      : createWorkerPool({
          ...{ settings, search, reranker, workerUrl, onEvent },
          memoryBytes: settings.cacheBytes * WORKERS_SHARE,
        });
  const { offThreadBytes } = settings;
  const threaded =
    pool === undefined ? local : createThreadedModels({ pool, offThreadBytes, local, upstreams, transcripts });
  const searchService = createSearchService({ engines, memory, now: clock.now });
  const localBulk = createLocalBulk(searchService);
  const models = createConnectedModels({
    ...{ models: threaded, upstreams, now: clock.now, memory },
    onCall: metrics.onConnectorCall,
    settings: { ...CONNECTOR_DEFAULTS, ...options.connector },
  });
  const dialects = dialectsFor(settings);
  const gatekeeper = createGatekeeper({
    clock,
    configured: options.keys ?? [],
    ...(store === undefined ? {} : { keys: store.keys, rateLimits: store.rateLimits }),
  });
  const runner = createRequestRunner({ gatekeeper, metrics, usage, activity, logger, createId, now: clock.now });
  /** An answer is not lost for want of a place to write down its tokens. */
  const charge = async (access: Access, tokens: number): Promise<void> => {
    try {
      await gatekeeper.charge(access, tokens);
    } catch (error) {
      logger.log({ level: 'error', event: 'work-fail', work: 'rate-limit', ...originOf(error) });
    }
  };
  const item: BatchItemContext = {
    ...{ gatekeeper, models, messages: dialects.anthropic, createId, maxRounds: settings.maxRounds },
    async count(access, { message, exchange }) {
      const tally = tallyUse(dialects.anthropic, exchange);
      for (const part of dialects.anthropic.whole.toParts(message)) tally.add(part);
      usage.add(access.owner, tally.used);
      await charge(access, tally.used.inputTokens + tally.used.outputTokens);
    },
    fail(error) {
      const fault = faultOf(error);
      if (fault.error !== undefined) logger.log({ level: 'error', event: 'work-fail', work: 'batch-item', ...fault });
    },
  };
  const worker =
    store === undefined
      ? undefined
      : createBatchWorker({
          ...{ batches: store.batches, concurrency: settings.batchConcurrency, clock, logger },
          async run(claimed, work) {
            const result = await runBatchItem(claimed, item, work);
            metrics.batchItems.add({ outcome: result.outcome });
            return result;
          },
        });
  addProcessMetrics(metrics.registry);
  metrics.registry.gauge('quartermaster_active_requests', 'Requests under way.', () => runner.active);
  metrics.registry.gauge(
    'quartermaster_tokens_saved_total',
    'Tokens kept out minus tokens added since the start, estimated. May fall, and may be negative.',
    () => savings.read(undefined).total.net,
  );
  metrics.registry.gauge(
    'quartermaster_tools_bytes',
    'Memory for known lists of tools and their indexes, on the main thread.',
    () => lists.bytes,
  );
  metrics.registry.gauge(
    'quartermaster_cache_bytes',
    'What all caches of the main thread hold; limits.indexCacheBytes bounds it.',
    () => memory.bytes,
  );

  let cancelSweep: () => void = () => undefined;
  if (store !== undefined) cancelSweep = sweepRegularly([store, kept, { sweep: policies.refresh }], { clock, logger });

  const app = new Hono();
  const services: Services = {
    ...{ settings, upstreams, store, clock, runner, metrics, usage, models, dialects, mcp },
    activity,
    insight: { log, savings, closed: stopping.signal },
    ...{ gatekeeper, policies, configuredKeys: options.keys ?? [], lint: options.lint },
    storedFor: kept.storeFor,
    catalogs,
    search: { engines, service: searchService },
    bulk: pool === undefined ? localBulk : createThreadedBulk({ pool, local: localBulk, offThreadBytes }),
    onBatch: () => worker?.wake(),
  };
  const api = createApi(app);
  mountModelRoutes(api, services);
  mountStoredRoutes(api, services);
  mountConversationRoutes(api, services);
  mountCatalogRoutes(api, services);
  mountBatchRoutes(api, services);
  mountMcpRoutes(api, app, services);
  mountSearchRoutes(api, services);
  mountServerRoutes(api, services);
  mountKeyRoutes(api, services);
  mountInsightRoutes(api, services);
  mountConsoleRoutes(app, options.console);
  mountStatusRoutes(api, app, services);

  return {
    async fetch(request) {
      const response = await app.fetch(request);
      // What does not pass through the reception has an id as well.
      if (!response.headers.has('request-id')) response.headers.set('request-id', createId('req_'));
      return response;
    },
    async close() {
      cancelSweep();
      stopping.abort();
      await Promise.all([runner.close(), worker?.close()]);
      await mcp?.proxy.close();
      // Nobody will search any more, and what is being built would keep the process.
      closed.abort();
      await Promise.all([pool?.close(), usage.flush()]);
      models.close();
    },
  };
}

/** Searches and calls of MCP clients. Servers are known by their names in the settings. */
function countMcpEvents(
  { hub }: McpOptions,
  metrics: GatewayMetrics,
  usage: UsageMeter,
): (event: ToolboxEvent) => void {
  return (event) => {
    metrics.onEvent(event);
    if (event.kind !== 'tool-call-end') return;
    const snapshot = hub.snapshot();
    const tool = snapshot.get(event.tool);
    if (tool?.server === undefined) return;
    metrics.onServerCall({ ...event, server: tool.server });
    usage.addCall(event.callerId ?? '', snapshot.modelName(tool));
  };
}

function createMcpServices(
  { hub, form, contextTokens, sessions, alwaysLoad, searchGuard = 'hint', origins = [] }: McpOptions,
  parts: {
    readonly settings: GatewaySettings;
    readonly searcher: SearcherSource;
    readonly clock: Clock;
    onEvent(event: ToolboxEvent): void;
  },
): McpServices {
  const { settings, searcher, clock, onEvent } = parts;
  const isForced = form === 'bridge' || form === 'load';
  const proxy = createProxy({
    hub,
    clock,
    // A form that somebody asks for is used from the first tool on; otherwise the gate decides.
    settings: isForced ? { ...settings.gate, rule: { kind: 'on' } } : settings.gate,
    limits: contextWindow({ override: contextTokens }),
    searcher,
    checkArguments: createArgumentChecker({ repair: true }),
    onEvent,
    guard: { mode: searchGuard },
    ...defined({ alwaysLoad }),
    maxQueryLength: settings.maxQueryLength,
    ...defined({ form, sessions }),
  });
  return { hub, proxy, origins, catalogs: createServerCatalogs({ hub, clock }) };
}

/** Beside this file once it is built. */
/** What of the memory is the workers', which large bodies go to. */
const WORKERS_SHARE = 1 / 2;

const WORKER_URL = new URL('./threads/exchange-worker.js', import.meta.url);

const SWEEP_MS = 60_000;

/** Any replica may do it, and none has to. */
function sweepRegularly(
  places: readonly { sweep(): Promise<void> }[],
  { clock, logger }: { clock: Clock; logger: Logger },
): () => void {
  let cancel: () => void = () => undefined;
  const schedule = (): void => {
    cancel = clock.after(SWEEP_MS, () => {
      for (const place of places) {
        place.sweep().catch((error: unknown) => {
          logger.log({ level: 'error', event: 'work-fail', work: 'sweep', ...originOf(error) });
        });
      }
      schedule();
    });
  };
  schedule();
  return () => cancel();
}

function randomId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
