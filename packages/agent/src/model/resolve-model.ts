import { capabilitiesOf, type TransportCapabilities } from '@quartermaster/core/disclosure';
import { contextWindow, type ModelLimits } from '@quartermaster/core/gate';
import { checkOptionNames, defined, readChoice } from '@quartermaster/core/internal';
import type { UpstreamProvider, UpstreamSettings } from '@quartermaster/host/config';
import { type DialectUpstream, rehearsal as rehearsalOf, resolveUpstream } from '@quartermaster/host/upstream';
import { invalidSetting } from '../invalid-setting.ts';

export interface ModelQuestion {
  readonly model?: string | undefined;
  readonly upstream?: AgentUpstream | undefined;
  /** The context window, if it is known better than from the tables. */
  readonly contextTokens?: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The upstreams of quartermaster.yaml. */
  readonly configured: readonly UpstreamSettings[];
}

/** A model that can be used. */
export interface ResolvedModel {
  readonly model: string;
  readonly upstream: DialectUpstream<'anthropic'>;
  readonly limits: ModelLimits;
  readonly capabilities: TransportCapabilities;
}

/**
 * The model for a query: the given upstream; else the first one in quartermaster.yaml that serves the model; else a
 * provider whose key is in the environment. Throws a `SettingError` that says what to set.
 */
export async function resolveModel(question: ModelQuestion): Promise<ResolvedModel> {
  const { upstream, contextTokens, env } = question;
  if (upstream !== undefined && isBuilt(upstream)) {
    const model = question.model ?? upstream.defaultModel ?? env.ANTHROPIC_MODEL ?? DEFAULT_MODELS.anthropic ?? '';
    return {
      model,
      upstream,
      limits: contextWindow({ override: contextTokens, model }),
      capabilities: capabilitiesOf(upstream.transport, { model }),
    };
  }
  const upstreams = upstream === undefined ? upstreamsOf(question) : [toSettings(upstream)];
  const model = question.model ?? env.ANTHROPIC_MODEL ?? defaultModel(upstreams);
  const resolved = model === undefined ? undefined : resolveUpstream(upstreams, model, { env });
  if (model === undefined || resolved === undefined) throw nothingToAsk(question.model, upstreams);
  return {
    model,
    upstream: await resolved.for('anthropic'),
    limits: contextTokens === undefined ? resolved.limits : contextWindow({ override: contextTokens }),
    capabilities: resolved.capabilities('anthropic'),
  };
}

/** A model that can be chosen. */
export interface ModelInfo {
  readonly value: string;
  readonly displayName: string;
  readonly description: string;
}

/** The models that the settings name, and the default model. */
export async function listModels(question: ModelQuestion): Promise<readonly ModelInfo[]> {
  const { upstream } = question;
  const settings = upstream === undefined ? upstreamsOf(question) : isBuilt(upstream) ? [] : [toSettings(upstream)];
  const named = settings.flatMap(({ provider, models }) =>
    models.filter((model) => !model.includes('*')).map((model) => [model, `Served by ${provider}`] as const),
  );
  const { model } = await resolveModel(question);
  const all = new Map([[model, 'The model of this query'], ...named]);
  return [...all].map(([value, description]) => ({ value, displayName: value, description }));
}

/** The models of the configuration, then those that the environment has keys for. */
function upstreamsOf({ env, configured }: ModelQuestion): readonly UpstreamSettings[] {
  const keyed = KEYED.flatMap(({ provider, key, base, models }) => {
    const apiKey = env[key];
    const baseUrl = env[base];
    if (apiKey === undefined || apiKey === '') return [];
    return [toSettings({ provider, apiKey, ...defined({ baseUrl }) }, models)];
  });
  // If the name of a model says nothing, the first provider with a key gets the request.
  const [first] = keyed;
  return [...configured, ...keyed, ...(first === undefined ? [] : [{ ...first, models: ['*'] }])];
}

function toSettings(
  choice: Omit<UpstreamSettings, 'models' | 'toolSearch'>,
  models: readonly string[] = ['*'],
): UpstreamSettings {
  return { ...choice, models, toolSearch: 'local' };
}

/** The first name in the settings that is not a pattern, else the default model of the first provider that has one. */
function defaultModel(upstreams: readonly UpstreamSettings[]): string | undefined {
  const named = upstreams.flatMap(({ models }) => models).find((model) => !model.includes('*'));
  return named ?? upstreams.map(({ provider }) => DEFAULT_MODELS[provider]).find((model) => model !== undefined);
}

function nothingToAsk(
  model: string | undefined,
  upstreams: readonly UpstreamSettings[],
): ReturnType<typeof invalidSetting> {
  const isKnown = upstreams.length > 0;
  const problem =
    model !== undefined
      ? `No upstream serves the model ${JSON.stringify(model)}`
      : isKnown
        ? 'No model is named'
        : 'No model is configured';
  const advice =
    isKnown && model === undefined
      ? 'Set options.model.'
      : `Set ${KEYED.map(({ key }) => key).join(' or ')} in the environment; or give options.upstream, such as { provider: 'openai-compatible', baseUrl: 'http://…', apiKey: '…' }; or list it under upstreams in quartermaster.yaml. To try things without a model: upstream: rehearsal().`;
  return invalidSetting({ setting: 'model', value: model }, `${problem}. ${advice}`);
}

interface KeyedProvider {
  readonly provider: UpstreamProvider;
  readonly key: string;
  readonly base: string;
  readonly models: readonly string[];
}

const KEYED: readonly KeyedProvider[] = [
  { provider: 'anthropic', key: 'ANTHROPIC_API_KEY', base: 'ANTHROPIC_BASE_URL', models: ['claude*'] },
  {
    provider: 'openai',
    key: 'OPENAI_API_KEY',
    base: 'OPENAI_BASE_URL',
    models: ['gpt-*', 'chatgpt-*', 'o1*', 'o3*', 'o4*'],
  },
  { provider: 'google', key: 'GOOGLE_GENERATIVE_AI_API_KEY', base: 'GOOGLE_BASE_URL', models: ['gemini*', 'gemma*'] },
];

/** The models used if none is named. */
const DEFAULT_MODELS: Partial<Record<UpstreamProvider, string>> = {
  anthropic: 'claude-opus-4-7',
  openai: 'gpt-5.4',
  rehearsal: 'rehearsal',
};

/** Where the model is: an upstream, or its settings in the format of the gateway's configuration. */
export type AgentUpstream = BuiltUpstream | UpstreamChoice;

/** An upstream that speaks the Messages API, whatever the model behind it. */
export interface BuiltUpstream extends DialectUpstream<'anthropic'> {
  /** The model that is requested if none is named. */
  readonly defaultModel?: string;
}

/** An entry of `upstreams` in quartermaster.yaml, without the fields that only the gateway needs. */
export type UpstreamChoice = Pick<
  UpstreamSettings,
  'provider' | 'baseUrl' | 'apiKey' | 'contextTokens' | 'references' | 'headers' | 'images'
>;

/**
 * A mock model, not a language model: it searches for the words of the prompt, calls what it finds, and quotes the
 * result. It needs no key and no network, and gives the same answer to the same prompt.
 */
export function rehearsal(): BuiltUpstream {
  return { ...rehearsalOf('anthropic'), defaultModel: 'rehearsal' };
}

/** Throws a `SettingError` for anything that is neither an upstream nor its settings. */
export function checkUpstream(upstream: AgentUpstream): void {
  if (typeof upstream !== 'object' || upstream === null || !isBuilt(upstream)) {
    checkOptionNames('upstream', upstream, 'provider baseUrl apiKey contextTokens references headers images');
    return;
  }
  readChoice('upstream.dialect', upstream.dialect, ['anthropic']);
  for (const method of ['stream', 'whole'] as const) {
    if (typeof upstream[method] === 'function') continue;
    throw invalidSetting({ setting: 'upstream' }, `upstream.${method} is missing: it answers requests to the model`);
  }
}

function isBuilt(upstream: AgentUpstream): upstream is BuiltUpstream {
  return 'stream' in upstream;
}
