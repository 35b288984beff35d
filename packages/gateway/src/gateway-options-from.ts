import type { Config } from '@quartermaster/host/config';
import type { UpstreamEnvironment } from '@quartermaster/host/upstream';
import { configuredUpstreams } from './configured-upstreams.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** Converts a configuration to a gateway's options. */
export function gatewayOptionsFrom(
  config: Config,
  environment: Pick<UpstreamEnvironment, 'env' | 'fetch'> = {},
): Pick<GatewayOptions, 'upstreams' | 'settings' | 'search' | 'keys' | 'connector' | 'transcripts'> {
  const { limits, listen, search, tools } = config;
  const { upstreamTimeoutMs: connectMs, upstreamRetries } = limits;
  return {
    upstreams: configuredUpstreams(config.upstreams, {
      ...environment,
      timeouts: { connectMs, idleMs: connectMs, wholeMs: connectMs },
      retries: { maxRetries: upstreamRetries },
    }),
    keys: config.keys,
    connector: config.mcp.connector,
    search,
    transcripts: config.transcripts,
    settings: {
      insight: config.insight,
      prices: config.prices,
      learn: config.usage.learn,
      autoPins: tools.autoPins,
      deferral: config.deferral,
      errorCodes: config.errorCodes,
      strict: config.strict,
      gate: tools.gate,
      listingTokens: tools.listingTokens,
      policies: tools.policies,
      maxBodyBytes: limits.bodyBytes,
      maxBatchBytes: limits.batchBytes,
      maxBatchItems: limits.batchItems,
      batchConcurrency: limits.batchConcurrency,
      maxRounds: limits.rounds,
      ...(listen.publicUrl === undefined ? {} : { publicUrl: listen.publicUrl.replace(/\/+$/, '') }),
      cacheBytes: limits.indexCacheBytes,
      maxInProgressBytes: limits.inProgressBytes,
      maxRequestTools: limits.requestTools,
      maxCatalogTools: limits.catalogTools,
      maxSearchedTools: limits.searchedTools,
      maxQueryLength: limits.queryLength,
      offThreadBytes: limits.offThreadBytes,
    },
  };
}
