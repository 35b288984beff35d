import type { Clock } from '@quartermaster/core/internal';
import type { ConfiguredKey } from '@quartermaster/host/config';
import type { UseLearning } from '@quartermaster/host/search';
import type { Dialects } from '@quartermaster/host/upstream';
import type { Hub, McpProxy } from '@quartermaster/mcp';
import type { Gatekeeper, UsageMeter } from '../access/index.ts';
import type { IndexedCatalogs, NamedCatalogs } from '../catalogs/index.ts';
import type { Upstreams } from '../configured-upstreams.ts';
import type { Activity } from '../events/index.ts';
import type { ModelService, Transcripts } from '../exchange/index.ts';
import type { GatewaySettings, GatewayStore } from '../gateway-options.ts';
import type { RequestRunner } from '../http/index.ts';
import type { ActivityLog, InsightMeter, WireLog } from '../insight/index.ts';
import type { Linter, LivePolicies } from '../management/index.ts';
import type { McpEvents, ServerCatalogs } from '../mcp/index.ts';
import type { GatewayMetrics } from '../metrics/index.ts';
import type { SearchEngines, SearchService } from '../search/index.ts';
import type { BulkWork } from '../threads/index.ts';

/** What the routes work with. */
export interface Services {
  readonly settings: GatewaySettings;
  readonly upstreams: Upstreams;
  readonly store: GatewayStore | undefined;
  readonly clock: Clock;
  readonly runner: RequestRunner;
  readonly metrics: GatewayMetrics;
  readonly usage: UsageMeter;
  readonly activity: Activity;
  /** What keys have learned from use. Undefined if nothing is learned. */
  readonly learning: UseLearning | undefined;
  /** What the console shows of it. `closed` aborts when the gateway stops, and ends live streams. */
  readonly insight: {
    readonly log: ActivityLog;
    readonly meter: InsightMeter;
    /** Absent unless the settings enable it. */
    readonly wire: WireLog | undefined;
    readonly closed: AbortSignal;
  };
  readonly models: ModelService;
  readonly dialects: Dialects;
  readonly catalogs: NamedCatalogs;
  /** Stored catalogs in PostgreSQL, with `search.backend: postgres`. */
  readonly indexed: IndexedCatalogs | undefined;
  readonly gatekeeper: Gatekeeper;
  /** Keys in the settings. */
  readonly configuredKeys: readonly ConfiguredKey[];
  readonly policies: LivePolicies;
  readonly lint: Linter | undefined;
  /** Searches that clients make without a model. */
  readonly search: { readonly engines: SearchEngines; readonly service: SearchService };
  /** Work with bodies that may be large. */
  readonly bulk: BulkWork;
  /** What is kept of a key's responses. Undefined if nothing is kept. */
  readonly storedFor: Transcripts['storeFor'];
  /** The configured MCP servers as served here, if there are any. */
  readonly mcp: McpServices | undefined;
  /** The folder of the built console. Undefined if it is not served. */
  readonly console: URL | undefined;
  /** Called when a batch was created, so that its processing begins at once. */
  onBatch(): void;
}

export interface McpServices {
  readonly hub: Hub;
  readonly proxy: McpProxy;
  readonly catalogs: ServerCatalogs;
  /** The tools that a key uses most, if these are pinned. */
  pinsFor(owner: string): Promise<readonly string[]>;
  /** For events: everything that happens inside belongs to this request. */
  readonly within: McpEvents['within'];
  /** Web origins whose requests are served, besides this gateway's own. */
  readonly origins: readonly string[];
  /** The largest request. */
  readonly requestBytes: number;
  close(): Promise<void>;
}
