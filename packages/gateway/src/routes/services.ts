import type { ModelService, Surfaces } from '../exchange/index.ts';
import type { GatewaySettings, GatewayStore } from '../gateway-options.ts';
import type { Reception } from '../http/index.ts';
import type { GatewayMetrics } from '../metrics/index.ts';
import type { Upstreams } from '../upstreams.ts';

/** What the routes work with. */
export interface Services {
  readonly settings: GatewaySettings;
  readonly upstreams: Upstreams;
  readonly store: GatewayStore | undefined;
  readonly reception: Reception;
  readonly metrics: GatewayMetrics;
  readonly models: ModelService;
  readonly surfaces: Surfaces;
  /** Called when a batch was created, so that work on it begins at once. */
  onBatch(): void;
}
