import type { LanguageModelV4 } from '@ai-sdk/provider';
import { isJsonObject } from '@quartermaster/core/catalog';
import { SettingError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import { guardFetch } from '../http/guard-fetch.ts';

export interface ProviderSettings {
  readonly provider: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly region?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Imports a package by name. */
export type LoadPackage = (name: string) => Promise<unknown>;

/** A model of the AI SDK's package for a provider, imported on first use. */
export async function loadModel(
  settings: ProviderSettings,
  modelId: string,
  load: LoadPackage = (name) => import(name),
): Promise<LanguageModelV4> {
  const { provider } = settings;
  const name = packageOf(provider);
  const about = { context: { setting: 'provider', value: provider, package: name } };
  const create = factoryIn(await loadPackage(provider, name, load), provider);
  if (create === undefined) {
    throw unusable(`The package ${name} has no function that creates a provider "${provider}"`, about);
  }
  const created: unknown = create(factoryOptions(settings));
  const model = modelOf(created, modelId);
  if (isModel(model)) return model;
  const problem = `The package ${name} implements another version of the AI SDK's provider interface than v4`;
  throw unusable(`${problem}. Update it: npm install ${name}@latest`, about);
}

function unusable(message: string, about: ConstructorParameters<typeof SettingError>[2]): SettingError {
  return new SettingError('invalid_setting', message, about);
}

/** A name becomes part of an import, so it must be a valid package name. */
function packageOf(provider: string): string {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(provider)) return `@ai-sdk/${provider}`;
  const message = `provider is ${JSON.stringify(provider)}; allowed: the name of a provider, such as "google"`;
  throw unusable(message, { context: { setting: 'provider', value: provider } });
}

async function loadPackage(provider: string, name: string, load: LoadPackage): Promise<object> {
  try {
    const loaded = await load(name);
    return typeof loaded === 'object' && loaded !== null ? loaded : {};
  } catch (cause) {
    const isMissing =
      isJsonObject(cause) && cause.code === 'ERR_MODULE_NOT_FOUND' && String(cause.message).includes(name);
    if (!isMissing) throw cause;
    const message = `The provider "${provider}" needs the package ${name}, which is not installed. Install it: npm install ${name}`;
    throw unusable(message, { cause, context: { setting: 'provider', value: provider, package: name } });
  }
}

type Factory = (options: object) => unknown;

/** `createOpenAICompatible` for `openai-compatible`: by name, ignoring case. */
function factoryIn(module: object, provider: string): Factory | undefined {
  const short = provider.split('-').at(-1) ?? provider;
  const wanted = [`create${provider.replaceAll('-', '')}`, `create${short}`];
  const exported = Object.entries(module).filter((entry): entry is [string, Factory] => typeof entry[1] === 'function');
  for (const name of wanted) {
    const found = exported.find(([key]) => key.toLowerCase() === name);
    if (found !== undefined) return found[1];
  }
  return undefined;
}

function factoryOptions({ provider, baseUrl, apiKey, region, headers, fetch }: ProviderSettings): object {
  const isCompatible = provider === 'openai-compatible';
  if (isCompatible && baseUrl === undefined) {
    const message = 'baseUrl is missing: an upstream with provider "openai-compatible" needs the address of its host';
    throw unusable(message, { context: { setting: 'baseUrl', value: baseUrl } });
  }
  return {
    ...(baseUrl === undefined ? {} : { baseURL: provider === 'anthropic' ? withVersion(baseUrl) : baseUrl }),
    ...defined({ apiKey, region }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    fetch: guardFetch(fetch),
    ...(isCompatible ? { name: hostName(baseUrl ?? ''), includeUsage: true, supportsStructuredOutputs: true } : {}),
  };
}

/** The package expects the version in the address, which the API's own clients omit. */
function withVersion(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return base.endsWith('/v1') ? base : `${base}/v1`;
}

/** Names the host, so that its sealed data goes back to it and to no other host of the same protocol. */
function hostName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
  return `host${host.replace(/[^a-zA-Z0-9]/g, '')}`;
}

function modelOf(provider: unknown, modelId: string): unknown {
  if ((typeof provider !== 'object' && typeof provider !== 'function') || provider === null) return undefined;
  if (!('languageModel' in provider) || typeof provider.languageModel !== 'function') return undefined;
  return provider.languageModel(modelId);
}

function isModel(value: unknown): value is LanguageModelV4 {
  return isJsonObject(value) && value.specificationVersion === 'v4';
}
