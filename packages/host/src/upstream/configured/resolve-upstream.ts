import { compileGlob } from '@quartermaster/core/catalog';
import { capabilitiesOf, type TransportCapabilities } from '@quartermaster/core/disclosure';
import { contextWindow, type ModelLimits } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import type { UpstreamSettings } from '../../config/index.ts';
import { DIALECTS, type DialectName, type DialectUpstream } from '../dialect.ts';
import { createHttpUpstream } from '../http/create-http-upstream.ts';
import type { HttpUpstreamOptions } from '../http/http-upstream-options.ts';
import { createModelUpstream } from '../model/create-model-upstream.ts';
import { rehearsal } from '../rehearsal/rehearsal-model.ts';
import { type LoadPackage, loadModel } from './provider-package.ts';

/** The upstream that serves a model. */
export interface ResolvedUpstream {
  readonly settings: UpstreamSettings;
  readonly model: string;
  readonly limits: ModelLimits;
  /** What it can carry in this dialect: decides the form. */
  capabilities(dialect: DialectName): TransportCapabilities;
  /** Builds it. Throws a `SettingError` if a package is missing. */
  for<D extends DialectName>(dialect: D): Promise<DialectUpstream<D>>;
}

/** The first entry with a pattern that matches the model's name, or none. Nothing is built or imported yet. */
export function resolveUpstream(
  upstreams: readonly UpstreamSettings[],
  model: string,
  environment: UpstreamEnvironment = {},
): ResolvedUpstream | undefined {
  const settings = upstreamFor(upstreams, model);
  if (settings === undefined) return undefined;
  return {
    settings,
    model,
    limits: contextWindow({ override: settings.contextTokens, model }),
    capabilities: (dialect) => capabilitiesFor(settings, dialect, model),
    for: (dialect) => createUpstreamFor(dialect, { ...environment, settings, model }),
  };
}

export function upstreamFor(upstreams: readonly UpstreamSettings[], model: string): UpstreamSettings | undefined {
  return upstreams.find(({ models }) => models.some((pattern) => compileGlob(pattern).matches(model)));
}

/** The settings know the host better than the table: a proxy may lack references, or have them for a model that it renames. */
function capabilitiesFor(settings: UpstreamSettings, dialect: DialectName, model: string): TransportCapabilities {
  const known = capabilitiesOf(transportOf(dialect, settings.provider), { model });
  if (settings.references === undefined || dialect !== 'anthropic') return known;
  if (settings.references) return { ...known, references: true, deferMark: true };
  return { ...known, references: false, deferMark: false, hostedSearch: [] };
}

/** What building an upstream needs from outside. */
export interface UpstreamEnvironment extends Pick<HttpUpstreamOptions<DialectName>, 'fetch' | 'timeouts' | 'retries'> {
  /** Where keys come from that the settings do not name. @default none */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default import */
  readonly load?: LoadPackage;
}

/** What `createUpstreamFor` needs. */
export interface UpstreamForOptions extends UpstreamEnvironment {
  readonly settings: UpstreamSettings;
  readonly model: string;
}

/**
 * The upstream for a dialect, as configured: raw if the provider speaks the dialect itself, the mock model for
 * `rehearsal`, otherwise through the provider's AI SDK package, which must be installed.
 */
async function createUpstreamFor<D extends DialectName>(
  dialect: D,
  options: UpstreamForOptions,
): Promise<DialectUpstream<D>> {
  const { fetch, timeouts = {}, retries = {} } = options;
  const { provider, baseUrl, headers, forwardsAuthorization = false } = options.settings;
  if (provider === 'rehearsal') return rehearsal(dialect);
  const apiKey = options.settings.apiKey ?? keyFrom(provider, options.env);
  const given = { ...defined({ fetch, headers }) };
  if (speaks(provider, dialect)) {
    return createHttpUpstream({ dialect, baseUrl, apiKey, forwardsAuthorization, timeouts, retries, ...given });
  }
  const region = options.env?.AWS_REGION;
  const model = await loadModel(
    { provider, baseUrl, apiKey, region: provider === 'amazon-bedrock' ? region : undefined, ...given },
    options.model,
    options.load,
  );
  const sent = new Headers(headers);
  if (apiKey !== undefined) DIALECTS[dialect].endpoint.authorize(sent, apiKey);
  const seesImages = options.settings.images !== false;
  return createModelUpstream({ dialect, model, seesImages, timeouts, retries, sent });
}

/** The upstream's name in core's table of transports, known before it is built. */
function transportOf(dialect: DialectName, provider: string): string {
  return speaks(provider, dialect) || provider === 'rehearsal' ? DIALECTS[dialect].endpoint.transport : 'ai-sdk';
}

/** A provider's API key from the environment, from the variable that its own SDK reads. */
export function keyFrom(provider: string, env: UpstreamEnvironment['env']): string | undefined {
  const name = Object.hasOwn(KEYS, provider) ? KEYS[provider] : undefined;
  return name === undefined ? undefined : env?.[name];
}

function speaks(provider: string, dialect: DialectName): boolean {
  return Object.hasOwn(SPOKEN, provider) && (SPOKEN[provider] ?? []).includes(dialect);
}

/** The dialects of a provider's own API. Hosts that imitate OpenAI's rarely have Responses. */
const SPOKEN: Readonly<Record<string, readonly DialectName[]>> = {
  anthropic: ['anthropic'],
  openai: ['openai-chat', 'openai-responses'],
  'openai-compatible': ['openai-chat'],
};

/** The packages read the others themselves. */
const KEYS: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
};
