import { defined } from '@quartermaster/core/internal';
import type { UpstreamSettings } from '@quartermaster/host/config';
import {
  countTokens,
  keyFrom,
  type ListedModel,
  listModels,
  passOn,
  resolveUpstream,
  type UpstreamEnvironment,
} from '@quartermaster/host/upstream';
import { ApiError, nodeFetch } from './http/index.ts';
import type { GatewayUpstream, PassTo, Upstreams } from './upstreams.ts';

/** How many models are kept resolved. Their names come from clients. */
const MOST_MODELS = 256;

/** How long the hosts' lists of models are believed. */
const LIST_MS = 60_000;

/** The upstreams of a configuration. */
export function configuredUpstreams(
  settings: readonly UpstreamSettings[],
  options: UpstreamEnvironment & { readonly now?: () => number } = {},
): Upstreams {
  const { now = Date.now } = options;
  const environment = { fetch: nodeFetch, ...options };
  const resolved = new Map<string, GatewayUpstream | undefined>();
  let listed: { readonly models: readonly ListedModel[]; readonly until: number } | undefined;
  return {
    resolve(model) {
      if (resolved.has(model)) return resolved.get(model);
      const upstream = resolve(settings, model, environment);
      const [oldest] = resolved.keys();
      if (resolved.size >= MOST_MODELS && oldest !== undefined) resolved.delete(oldest);
      resolved.set(model, upstream);
      return upstream;
    },
    files(api) {
      const host = settings.find((one) => apiOf(one) === api && sharesFiles(one));
      return host === undefined ? undefined : passer(host, environment);
    },
    problems: () => (settings.length === 0 ? ['No upstream is configured'] : []),
    async models(signal) {
      if (listed !== undefined && now() < listed.until) return listed.models;
      const { models, problems } = await listModels(settings, { ...environment, signal });
      const [first] = problems;
      // No model at all looks like a gateway without upstreams; why there is none is worth more.
      if (models.length === 0 && first !== undefined) {
        throw new ApiError(502, `No upstream listed its models; ${first.provider}: ${first.message}`);
      }
      listed = { models, until: now() + LIST_MS };
      return models;
    },
  };
}

function resolve(
  settings: readonly UpstreamSettings[],
  model: string,
  environment: UpstreamEnvironment,
): GatewayUpstream | undefined {
  const upstream = resolveUpstream(settings, model, environment);
  if (upstream === undefined) return undefined;
  const { provider, toolSearch, mcpConnector, form } = upstream.settings;
  return {
    name: provider,
    toolSearch,
    ...defined({ mcpConnector, form }),
    limits: upstream.limits,
    capabilities: upstream.capabilities,
    for: upstream.for,
    ...(provider === 'anthropic' ? { countTokens: counter(upstream.settings, environment) } : {}),
    ...(apiOf(upstream.settings) === 'openai' ? { pass: passer(upstream.settings, environment) } : {}),
  };
}

/** The API that a host is asked over, where that is not a package's business. */
function apiOf({ provider }: UpstreamSettings): 'anthropic' | 'openai' | undefined {
  if (provider === 'anthropic') return 'anthropic';
  return provider === 'openai' || provider === 'openai-compatible' ? 'openai' : undefined;
}

/** A client that is known to the host by a key of its own sees its own files. */
function sharesFiles({ files, apiKey, forwardsAuthorization = false }: UpstreamSettings): boolean {
  return files ?? (forwardsAuthorization && apiKey === undefined);
}

function passer(settings: UpstreamSettings, environment: UpstreamEnvironment): PassTo {
  const dialect = settings.provider === 'anthropic' ? ('anthropic' as const) : ('openai-chat' as const);
  const { baseUrl, headers = {}, forwardsAuthorization = false } = settings;
  const { env, fetch, timeouts = {} } = environment;
  const apiKey = settings.apiKey ?? keyFrom(settings.provider, env);
  const options = { dialect, baseUrl, apiKey, headers, forwardsAuthorization, timeouts, ...defined({ fetch }) };
  return (request, client) => passOn(options, request, client);
}

/** Asks the host itself, with the client's version and betas. */
function counter(
  { provider, baseUrl, apiKey, headers = {}, forwardsAuthorization = false }: UpstreamSettings,
  { env, fetch, timeouts = {}, retries = {} }: UpstreamEnvironment,
): NonNullable<GatewayUpstream['countTokens']> {
  const key = apiKey ?? keyFrom(provider, env);
  const host = { baseUrl, apiKey: key, headers, forwardsAuthorization, timeouts, retries };
  const options = fetch === undefined ? host : { ...host, fetch };
  return (request, client) => countTokens(options, request, client);
}
