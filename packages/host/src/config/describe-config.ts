import type { Json, JsonObject } from '@quartermaster/core/catalog';
import type { Config, McpServerSettings, OAuthSettings, UpstreamSettings } from './config.ts';
import { INDEX_CACHE_DEFAULTS } from './config-shape.ts';
import { hideCredentials } from './show-value.ts';

/**
 * The settings for people to look at, as JSON. Secrets are left out by construction: only what is listed here is shown, and
 * of anything that is passed on to others (arguments, variables, headers) only the number or the names.
 */
export function describeConfig(config: Config): JsonObject {
  const { location, encryptionKeys, auditDays } = config.store;
  return {
    files: config.files,
    listen: { ...config.listen },
    store: {
      ...('url' in location ? { url: hideCredentials(location.url) } : { path: location.path }),
      encryptionKeys: encryptionKeys.length,
      auditDays,
    },
    upstreams: config.upstreams.map(describeUpstream),
    mcpServers: Object.fromEntries(
      Object.entries(config.mcpServers).map(([name, server]) => [name, describeServer(server)]),
    ),
    unusableServers: config.unusableServers.map(({ name, reason }) => ({ name, reason })),
    mcp: { ...config.mcp, limits: { ...config.mcp.limits }, connector: { ...config.mcp.connector } },
    tools: {
      rule: { ...config.tools.gate.rule },
      search: { ...config.tools.gate.search },
      pins: config.tools.autoPins ? 'auto' : config.tools.gate.pins,
      policies: { ...config.tools.policies.patterns },
      listing_tokens: config.tools.listingTokens,
    },
    search: {
      engine: config.search.engine,
      backend: config.search.backend ?? 'memory',
      whenNothingFits: config.search.whenNothingFits,
      hintedTools: config.search.hints?.size ?? 0,
      cache: { ...INDEX_CACHE_DEFAULTS, ...config.search.cache },
    },
    deferral: config.deferral,
    errorCodes: config.errorCodes,
    strict: config.strict,
    keys: config.keys.map(({ name, models, catalogs, tools, limits }) => ({
      ...{ name, models, catalogs, limits: { ...limits } },
      ...(tools === undefined ? {} : { tools: { ...tools } }),
    })),
    limits: { ...config.limits },
    transcripts: { ...config.transcripts },
    insight: { ...config.insight },
    prices: { ...config.prices } as unknown as Json,
    usage: { ...config.usage },
  };
}

function describeUpstream({ baseUrl, apiKey, headers, ...rest }: UpstreamSettings): Json {
  return {
    ...rest,
    ...(headers === undefined ? {} : { headers: Object.keys(headers) }),
    ...(baseUrl === undefined ? {} : { baseUrl: hideCredentials(baseUrl) }),
    apiKey: apiKey === undefined ? 'not set' : 'set',
  };
}

function describeServer(server: McpServerSettings): Json {
  if ('command' in server) {
    const { command, args = [], env = {}, ...rest } = server;
    return { ...rest, command, args: args.length, env: Object.keys(env) };
  }
  const { url, headers = {}, oauth, ...rest } = server;
  return {
    ...rest,
    url: hideCredentials(url),
    headers: Object.keys(headers),
    ...(oauth === undefined ? {} : { oauth: typeof oauth === 'boolean' ? oauth : describeOAuth(oauth) }),
  };
}

function describeOAuth({ clientSecret, ...rest }: OAuthSettings): Json {
  return { ...rest, ...(clientSecret === undefined ? {} : { clientSecret: 'set' }) };
}
