import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import type { Clock } from '@quartermaster/core/internal';
import type { TranscriptStore } from '@quartermaster/core/loop';
import type { IndexCache, RerankerOptions } from '@quartermaster/core/search';
import {
  CONFIG_DEFAULTS,
  type Config,
  type ConfiguredKey,
  type McpConnectorSettings,
  type SearchSettings,
  type ToolSettings,
  type TranscriptSettings,
  type UsageSettings,
} from '@quartermaster/host/config';
import type { Store } from '@quartermaster/host/store';
import type { Hub, ProxyGuard, ProxyOptions } from '@quartermaster/mcp';
import type { Upstreams } from './configured-upstreams.ts';
import type { Logger } from './logger.ts';
import type { Linter } from './management/index.ts';
import type { Tracing } from './tracing/index.ts';

/** The parts of a gateway. Only `upstreams` is required. */
export interface GatewayOptions {
  readonly upstreams: Upstreams;
  /** Keys in the configuration, in addition to those in the store. @default none */
  readonly keys?: readonly ConfiguredKey[];
  /** The parts of the store that a gateway needs. Without it there are no keys, no named catalogs and no batches. */
  readonly store?: GatewayStore;
  /** The configured MCP servers: served as one at `/mcp`, and each as a named catalog. @default none */
  readonly mcp?: McpOptions;
  /** Limits on connecting to servers that clients name in `mcp_servers`. @default any public https address */
  readonly connector?: Partial<McpConnectorSettings>;
  readonly settings?: Partial<GatewaySettings>;
  /**
   * Where the parts of responses that clients are not shown are kept until they send the responses back: settings, or the store of one
   * key (of `''` without keys). @default in the store if it can encrypt, for a week; else up to 32 MiB in this process
   */
  readonly transcripts?: TranscriptSettings | ((owner: string) => TranscriptStore);
  /** The search engine. @default `auto`: with `reranker` if that is given, else hybrid; "no match" returns nothing */
  readonly search?: SearchSettings;
  /** The model that `auto` and `hybrid+reranker` rerank with; no other engine uses it. Vectors are kept in the store. @default none */
  readonly reranker?: Omit<RerankerOptions, 'store' | 'signal' | 'onEvent'>;
  /** Stores the indexes of stored catalogs and of MCP servers by content, for the next start and other replicas. @default each process builds its own */
  readonly indexCache?: IndexCache;
  /**
   * The file that workers run; `false` keeps everything on the main thread.
   * @default the one in this package
   */
  readonly workerUrl?: URL | false;
  /** Finds what is wrong with definitions, for the list of tools. @default only the trust check */
  readonly lint?: Linter;
  /** The folder of the built console, served at `/` to browsers. @default no console */
  readonly console?: URL;
  /** @default the system's clock */
  readonly clock?: Clock;
  /** Creates an id with the prefix. @default random */
  readonly createId?: (prefix: string) => string;
  /** Traces requests, as created by `openTracing` from the environment. Closed with the gateway. @default no tracing */
  readonly tracing?: Tracing;
  /** Receives an entry for every request: names, counts, sizes and times, never content. @default no log */
  readonly logger?: Logger;
}

/** The MCP servers that a gateway serves at `/mcp`. */
export interface McpOptions extends Pick<ProxyOptions, 'form' | 'sessions' | 'alwaysLoad'> {
  /** Started by the first request that needs it; its creator closes it, after the gateway. */
  readonly hub: Hub;
  /** The context window of the clients' models, for the gate. @default 128_000 */
  readonly contextTokens?: number;
  /** What happens on repeated and fruitless searches of a lasting connection. @default 'hint' */
  readonly searchGuard?: NonNullable<ProxyGuard['mode']>;
  /** A longer tool result is cut off, and says so. @default 8 MiB */
  readonly resultBytes?: number;
  /** The largest request. @default 4 MiB */
  readonly requestBytes?: number;
  /** How many JSON values a request may have. @default 200_000 */
  readonly messageValues?: number;
  /** Web origins that may use `/mcp`, in addition to the gateway's own: `https://inspector.example`. @default none */
  readonly origins?: readonly string[];
}

/** The parts of the store that a gateway uses. */
export type GatewayStore = Pick<
  Store,
  | 'audit'
  | 'batches'
  | 'cases'
  | 'catalogs'
  | 'insight'
  | 'keys'
  | 'policies'
  | 'rateLimits'
  | 'usage'
  | 'vectors'
  | 'transcripts'
  | 'ping'
  | 'sweep'
> &
  Partial<Pick<Store, 'openToolIndex' | 'learnedUses' | 'taskOwners'>>;

/** The settings of a gateway. `learn` needs a store, and `autoPins` needs `learn`. */
export interface GatewaySettings
  extends ToolSettings,
    UsageSettings,
    Pick<Config, 'deferral' | 'errorCodes' | 'insight' | 'prices' | 'strict'> {
  /** Whether requests are recorded. Without it there is no activity and no trace, and `/metrics` has nothing about tool search. */
  readonly events: boolean;
  /** The largest accepted body. */
  readonly maxBodyBytes: number;
  /** The largest accepted batch. */
  readonly maxBatchBytes: number;
  /** How many requests a batch may have. */
  readonly maxBatchItems: number;
  /** How much memory known tools may take, including their indexes: half of it for the main thread, half for the workers. */
  readonly cacheBytes: number;
  /**
   * How much memory the requests in progress may take: their bodies, and what these are parsed to. Never more than half of the engine's
   * heap. A key's requests may take as much as is still free.
   */
  readonly maxInProgressBytes: number;
  /** How many tools a request may define itself. */
  readonly maxRequestTools: number;
  /** How many tools a stored catalog may have. */
  readonly maxCatalogTools: number;
  /** How many tools a request may have, including all catalogs that it names. */
  readonly maxSearchedTools: number;
  /** The longest query of a search, in code points. */
  readonly maxQueryLength: number;
  /** Bodies of this size or larger are parsed, indexed and answered on worker threads. */
  readonly offThreadBytes: number;
  /** How many times a model is called for one response, at least 1. */
  readonly maxRounds: number;
  /** After this long without an event a stream gets a ping. */
  readonly pingMs: number;
  /** How many batch items are processed at a time; 0 leaves them to other replicas. */
  readonly batchConcurrency: number;
  /** Where clients reach this gateway, for addresses in answers. @default the address of the request */
  readonly publicUrl?: string;
}

/** The settings that come from a configuration. */
export function settingsFrom(
  config: Pick<Config, 'deferral' | 'errorCodes' | 'insight' | 'limits' | 'prices' | 'strict' | 'tools' | 'usage'>,
): Omit<GatewaySettings, 'events' | 'pingMs' | 'publicUrl'> {
  const { deferral, errorCodes, insight, limits, prices, strict, tools, usage } = config;
  return {
    ...{ deferral, errorCodes, insight, prices, strict },
    ...tools,
    learn: usage.learn,
    maxBodyBytes: limits.bodyBytes,
    maxBatchBytes: limits.batchBytes,
    maxBatchItems: limits.batchItems,
    batchConcurrency: limits.batchConcurrency,
    maxRounds: limits.rounds,
    cacheBytes: limits.indexCacheBytes,
    maxInProgressBytes: limits.inProgressBytes,
    maxRequestTools: limits.requestTools,
    maxCatalogTools: limits.catalogTools,
    maxSearchedTools: limits.searchedTools,
    maxQueryLength: limits.queryLength,
    offThreadBytes: limits.offThreadBytes,
  };
}

/** The default settings of a gateway: those of an empty configuration. */
export const GATEWAY_DEFAULTS: GatewaySettings = {
  ...settingsFrom({
    ...CONFIG_DEFAULTS,
    deferral: 'as-requested',
    tools: { gate: DEFAULT_GATE_SETTINGS, policies: {}, listingTokens: 0, autoPins: false },
  }),
  events: true,
  pingMs: 15_000,
};

/** The default settings of searches. */
export const SEARCH_DEFAULTS: SearchSettings = { engine: 'auto', whenNothingFits: 'empty' };
