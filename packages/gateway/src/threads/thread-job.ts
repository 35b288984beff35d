import type { MessagePort } from 'node:worker_threads';
import type { TransportCapabilities } from '@quartermaster/core/disclosure';
import type { SearchSettings } from '@quartermaster/host/config';
import type { DialectName } from '@quartermaster/host/upstream';
import type { NamedServers } from '@quartermaster/wires/dialect';
import type { Access } from '../access/index.ts';
import type { GatewayUpstream } from '../configured-upstreams.ts';
import type { Continuation, ModelQuestion, NamesServers, OpenExchange } from '../exchange/index.ts';
import type { GatewaySettings } from '../gateway-options.ts';
import type { RerankerFacts } from './reranker-calls.ts';

/** What a worker is started with. */
export interface WorkerSettings {
  readonly settings: GatewaySettings;
  readonly search: SearchSettings;
  /** How much this worker may keep. */
  readonly memoryBytes: number;
  /** Absent if the engine has no reranker. */
  readonly reranker?: RerankerFacts | undefined;
}

/** A request for a worker. Everything about it is sent over its own port. */
export interface ThreadJob
  extends Pick<ModelQuestion<DialectName>, 'maxRounds' | 'requestId' | 'roundsBefore' | 'unavailable'> {
  readonly kind: 'exchange';
  readonly dialect: DialectName;
  readonly bytes: Uint8Array;
  /** The MCP servers that it names, which the main thread calls. */
  readonly servers?: NamedServers | undefined;
  /** Whose request it is, and whether there is anything to count. */
  readonly access: Pick<Access, 'owner' | 'limits'>;
  readonly headers: readonly (readonly [string, string])[];
  readonly port: MessagePort;
}

/** Work with a large body that needs no model: the task comes over its port. */
export interface BulkJob {
  readonly kind: 'bulk';
  readonly bytes: Uint8Array;
  readonly owner: string;
  readonly port: MessagePort;
}

/** What the worker needs to know about an upstream, which stays on the main thread. */
export interface UpstreamFacts
  extends Pick<GatewayUpstream, 'name' | 'toolSearch' | 'form' | 'limits' | 'offersTools'> {
  readonly capabilities: TransportCapabilities;
  readonly canCount: boolean;
  /** Whether its requests may be sent as bytes. */
  readonly takesWritten: boolean;
}

/** What is known of a request before it is answered. */
export type ExchangeFacts = Pick<
  OpenExchange<DialectName>,
  'model' | 'upstream' | 'isStream' | 'hidesUsage' | 'inputTokens'
>;

/** What a worker has read. Undefined for a request that needs what only the main thread has. */
export type OpenedJob = { readonly kind: 'opened'; readonly facts: ExchangeFacts } | NamesServers | undefined;

/** A whole response, and how its request continues if it has paused. */
export interface WholeJob<Response> {
  readonly response: Response;
  readonly continuation: Continuation | undefined;
}
