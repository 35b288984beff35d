import type { Config } from '@quartermaster/host/config';
import type { UpstreamEnvironment } from '@quartermaster/host/upstream';
import { configuredUpstreams } from './configured-upstreams.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** What a configuration means for a gateway. */
export function gatewayOptionsFrom(
  config: Config,
  environment: Pick<UpstreamEnvironment, 'env' | 'fetch'> = {},
): Pick<GatewayOptions, 'upstreams' | 'settings' | 'search' | 'keys'> {
  const { limits, search, tools } = config;
  const { upstreamTimeoutMs: connectMs, upstreamRetries } = limits;
  return {
    upstreams: configuredUpstreams(config.upstreams, {
      ...environment,
      timeouts: { connectMs, idleMs: connectMs, wholeMs: connectMs },
      retries: { maxRetries: upstreamRetries },
    }),
    keys: config.keys,
    search,
    settings: {
      deferral: config.deferral,
      errorCodes: config.errorCodes,
      gate: tools.gate,
      policies: tools.policies,
      maxBodyBytes: limits.bodyBytes,
      maxBatchBytes: limits.batchBytes,
      maxBatchItems: limits.batchItems,
      cacheBytes: limits.indexCacheBytes,
      offThreadBytes: limits.offThreadBytes,
    },
  };
}
