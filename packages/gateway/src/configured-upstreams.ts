import type { TransportCapabilities } from '@quartermaster/core/disclosure';
import type { ModelLimits } from '@quartermaster/core/gate';
import { BoundedMap, defined } from '@quartermaster/core/internal';
import type { UpstreamSettings } from '@quartermaster/host/config';
import {
  countTokens,
  type DialectName,
  type DialectUpstream,
  keyFrom,
  type ListedModel,
  listModels,
  type PassedRequest,
  passOn,
  type RequestOf,
  resolveUpstream,
  type UpstreamEnvironment,
} from '@quartermaster/host/upstream';
import type { Access } from './access/index.ts';
import { ApiError, nodeFetch } from './http/index.ts';

/** How many resolved models are cached. Their names come from clients. */
const MOST_MODELS = 256;

/** How long the hosts' lists of models are cached. */
const LIST_MS = 60_000;

/** The upstreams of a configuration. */
export function configuredUpstreams(
  settings: readonly UpstreamSettings[],
  options: UpstreamEnvironment & { readonly now?: () => number } = {},
): Upstreams {
  const { now = Date.now } = options;
  const environment = { fetch: nodeFetch, ...options };
  const resolved = new BoundedMap<string, GatewayUpstream | undefined>(MOST_MODELS);
  let listed: { readonly models: readonly ListedModel[]; readonly until: number } | undefined;
  return {
    resolve(model) {
      if (resolved.has(model)) return resolved.get(model);
      const upstream = resolve(settings, model, environment);
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
      // A gateway without upstreams and one whose models all failed look the same: the reason is more useful.
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
  const capabilities = new Map<DialectName, TransportCapabilities>();
  const built = new Map<DialectName, Promise<DialectUpstream<DialectName>>>();
  return {
    name: provider,
    toolSearch,
    ...defined({ mcpConnector, form }),
    limits: upstream.limits,
    capabilities(dialect) {
      const known = capabilities.get(dialect) ?? upstream.capabilities(dialect);
      capabilities.set(dialect, known);
      return known;
    },
    for<Name extends DialectName>(dialect: Name) {
      const known = built.get(dialect) as Promise<DialectUpstream<Name>> | undefined;
      if (known !== undefined) return known;
      const building = upstream.for(dialect);
      // A package may be installed while we run: a failure is not cached.
      building.catch(() => built.delete(dialect));
      built.set(dialect, building as unknown as Promise<DialectUpstream<DialectName>>);
      return building;
    },
    // Asks the host itself, with the client's version and betas.
    ...(provider === 'anthropic'
      ? { countTokens: (request, client) => countTokens(hostOf(upstream.settings, environment), request, client) }
      : {}),
    ...(apiOf(upstream.settings) === 'openai' ? { pass: passer(upstream.settings, environment) } : {}),
  };
}

/** The API of a host, if requests don't go through a package. */
function apiOf({ provider }: UpstreamSettings): 'anthropic' | 'openai' | undefined {
  if (provider === 'anthropic') return 'anthropic';
  return provider === 'openai' || provider === 'openai-compatible' ? 'openai' : undefined;
}

/** A client with its own key at the host sees its own files. */
function sharesFiles({ files, apiKey, forwardsAuthorization = false }: UpstreamSettings): boolean {
  return files ?? (forwardsAuthorization && apiKey === undefined);
}

function passer(settings: UpstreamSettings, environment: UpstreamEnvironment): PassTo {
  const dialect = settings.provider === 'anthropic' ? ('anthropic' as const) : ('openai-chat' as const);
  const options = { dialect, ...hostOf(settings, environment) };
  return (request, client) => passOn(options, request, client);
}

function hostOf(settings: UpstreamSettings, { env, fetch, timeouts = {}, retries = {} }: UpstreamEnvironment) {
  const { baseUrl, headers = {}, forwardsAuthorization = false } = settings;
  const apiKey = settings.apiKey ?? keyFrom(settings.provider, env);
  return { baseUrl, apiKey, headers, forwardsAuthorization, timeouts, retries, ...defined({ fetch }) };
}

/** The upstream of a model name. */
export interface GatewayUpstream {
  /** For metrics and logs. */
  readonly name: string;
  /** `upstream`: a host with its own tool search runs it. */
  readonly toolSearch: 'local' | 'upstream';
  /** `upstream`: the host connects to the servers in `mcp_servers`. @default as toolSearch */
  readonly mcpConnector?: 'local' | 'upstream';
  /** How found tools reach the model if the host has no references. @default decided by the dialect */
  readonly form?: 'bridge' | 'stub' | 'load';
  readonly limits: ModelLimits;
  /** Whether its model is offered fitting tools before it searches. @default false */
  readonly offersTools?: boolean;
  /** What it can carry in this dialect. */
  capabilities(dialect: DialectName): TransportCapabilities;
  for<Name extends DialectName>(dialect: Name): Promise<DialectUpstream<Name>>;
  /** Counts tokens as the model does. Absent if that is not possible. */
  countTokens?(
    request: RequestOf<'anthropic'>,
    options: { readonly headers: Headers; readonly signal: AbortSignal },
  ): Promise<number>;
  /** For the host's other endpoints, such as embeddings. Absent unless it speaks OpenAI's API. */
  readonly pass?: PassTo;
}

/** Sends a request to a host unchanged. Throws what the host rejects. */
export type PassTo = (
  request: PassedRequest,
  client: { readonly headers: Headers; readonly signal: AbortSignal },
) => Promise<Response>;

/** A model that can be requested. */
export type GatewayModel = Omit<ListedModel, 'provider'>;

/** The model hosts behind a gateway. */
export interface Upstreams {
  /** Undefined if no upstream serves this model. */
  resolve(model: string): GatewayUpstream | undefined | Promise<GatewayUpstream | undefined>;
  models(signal: AbortSignal): Promise<readonly GatewayModel[]>;
  /** The first host whose files clients may use, by its API. @default no host's */
  files?(api: 'anthropic' | 'openai'): PassTo | undefined;
  /** Mistakes in the settings that keep the gateway from serving any model. @default nothing */
  problems?(): readonly string[];
}

/** Longer than any host's names; events keep many of them. */
const MOST_NAME_CHARACTERS = 2_048;

/** Throws for a model name longer than any host's, and for a model that the key may not use. */
export function checkModel(model: string, { mayUseModel }: Pick<Access, 'mayUseModel'>): void {
  if (model.length > MOST_NAME_CHARACTERS) {
    throw new ApiError(400, `model: a name may have ${MOST_NAME_CHARACTERS} characters`, { param: 'model' });
  }
  if (!mayUseModel(model)) throw new ApiError(403, `This key may not use the model '${model.slice(0, 200)}'`);
}

/** The upstream of a model that a key asks for. Throws what its client is told if there is none. */
export async function upstreamOf(
  upstreams: Upstreams,
  model: string,
  access: Pick<Access, 'mayUseModel'>,
): Promise<GatewayUpstream> {
  checkModel(model, access);
  const upstream = await upstreams.resolve(model);
  if (upstream !== undefined) return upstream;
  throw new ApiError(404, `model: ${model.slice(0, 200)} is not served by any upstream of this gateway`);
}

/** The same upstreams, each changed for the model that it serves. */
export function mapUpstreams(
  upstreams: Upstreams,
  change: (upstream: GatewayUpstream, model: string) => GatewayUpstream,
): Upstreams {
  return {
    ...upstreams,
    async resolve(model) {
      const upstream = await upstreams.resolve(model);
      return upstream === undefined ? undefined : change(upstream, model);
    },
  };
}
