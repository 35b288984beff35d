import type { Config } from '@quartermaster/host/config';
import type { UpstreamEnvironment } from '@quartermaster/host/upstream';
import { configuredUpstreams } from './configured-upstreams.ts';
import { type GatewayOptions, settingsFrom } from './gateway-options.ts';

/** Converts a configuration to a gateway's options. */
export function gatewayOptionsFrom(
  config: Config,
  environment: Pick<UpstreamEnvironment, 'env' | 'fetch'> = {},
): Pick<GatewayOptions, 'upstreams' | 'settings' | 'search' | 'keys' | 'connector' | 'transcripts'> {
  const { listen, search } = config;
  const { upstreamTimeoutMs: connectMs, upstreamRetries } = config.limits;
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
      ...settingsFrom(config),
      ...(listen.publicUrl === undefined ? {} : { publicUrl: listen.publicUrl.replace(/\/+$/, '') }),
    },
  };
}
