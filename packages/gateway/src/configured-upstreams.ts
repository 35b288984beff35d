import type { UpstreamSettings } from '@quartermaster/host/config';
import {
  type ListedModel,
  listModels,
  resolveUpstream,
  type UpstreamEnvironment,
  UpstreamError,
} from '@quartermaster/host/upstream';
import type { GatewayUpstream, Upstreams } from './upstreams.ts';

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
  const resolved = new Map<string, GatewayUpstream | undefined>();
  let listed: { readonly models: readonly ListedModel[]; readonly until: number } | undefined;
  return {
    resolve(model) {
      if (resolved.has(model)) return resolved.get(model);
      const upstream = resolve(settings, model, options);
      const [oldest] = resolved.keys();
      if (resolved.size >= MOST_MODELS && oldest !== undefined) resolved.delete(oldest);
      resolved.set(model, upstream);
      return upstream;
    },
    async models(signal) {
      if (listed !== undefined && now() < listed.until) return listed.models;
      const { models } = await listModels(settings, { ...options, signal });
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
  const { provider, toolSearch } = upstream.settings;
  return {
    name: provider,
    toolSearch,
    limits: upstream.limits,
    capabilities: upstream.capabilities,
    for: upstream.for,
    ...(provider === 'anthropic' ? { countTokens: counter(upstream.settings, environment) } : {}),
  };
}

/** Asks the host itself, with the client's version and betas. */
function counter(
  { baseUrl = 'https://api.anthropic.com', apiKey }: UpstreamSettings,
  { env, fetch: ask = fetch }: UpstreamEnvironment,
): NonNullable<GatewayUpstream['countTokens']> {
  const key = apiKey ?? env?.ANTHROPIC_API_KEY;
  const url = `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages/count_tokens`;
  return async (request, { headers, signal }) => {
    const sent = new Headers({ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' });
    for (const name of ['anthropic-version', 'anthropic-beta']) {
      const value = headers.get(name);
      if (value !== null) sent.set(name, value);
    }
    // Versions are dates: the newer ones take the key as a bearer.
    const isBearer = (sent.get('anthropic-version') ?? '') >= '2026-10-21';
    if (key !== undefined) sent.set(isBearer ? 'authorization' : 'x-api-key', isBearer ? `Bearer ${key}` : key);
    const response = await ask(url, { method: 'POST', headers: sent, body: JSON.stringify(request), signal });
    const body = (await response.json().catch(() => undefined)) as { input_tokens?: unknown } | undefined;
    if (response.ok && typeof body?.input_tokens === 'number') return body.input_tokens;
    const message = `The upstream answered a count of tokens with status ${response.status}`;
    throw new UpstreamError({ code: 'refused', message, status: response.ok ? 502 : response.status, body });
  };
}
