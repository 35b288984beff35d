import type { MessagePort } from 'node:worker_threads';
import type { ModelLimits, TransportCapabilities } from '@quartermaster/core';
import type { SearchSettings } from '@quartermaster/host/config';
import type { Dialect } from '@quartermaster/host/upstream';
import type { GatewaySettings } from '../gateway-options.ts';

/** What a worker is started with. */
export interface WorkerSettings {
  readonly settings: GatewaySettings;
  readonly search: SearchSettings;
}

/** A request for a worker. Everything about it goes over its own port. */
export interface ThreadJob {
  readonly kind: 'open' | 'count';
  readonly dialect: Dialect;
  readonly bytes: Uint8Array;
  readonly headers: readonly (readonly [string, string])[];
  readonly port: MessagePort;
}

/** What the worker needs to know of an upstream, which stays on the main thread. */
export interface UpstreamFacts {
  readonly name: string;
  readonly toolSearch: 'local' | 'upstream';
  readonly limits: ModelLimits;
  readonly capabilities: TransportCapabilities;
  readonly canCount: boolean;
}

/** What a worker has read. */
export interface OpenedJob {
  readonly model: string;
  readonly upstream: string;
  readonly isStream: boolean;
}
