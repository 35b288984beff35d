import type { TransportCapabilities } from '@quartermaster/core/disclosure';
import type { ModelLimits } from '@quartermaster/core/gate';
import type { DialectName, DialectUpstream, PassedRequest, RequestOf } from '@quartermaster/host/upstream';
import { ApiError } from './http/index.ts';

/** The upstream behind a model's name. */
export interface GatewayUpstream {
  /** For metrics and logs. */
  readonly name: string;
  /** `upstream`: a host with its own tool search runs it. */
  readonly toolSearch: 'local' | 'upstream';
  /** `upstream`: the host connects to the servers in `mcp_servers`. @default as toolSearch */
  readonly mcpConnector?: 'local' | 'upstream';
  /** How found tools reach the model if the host has no references. @default by the dialect */
  readonly form?: 'bridge' | 'stub' | 'load';
  readonly limits: ModelLimits;
  /** Whether its model is offered fitting tools before it has to search. @default false */
  readonly offersTools?: boolean;
  /** What it can carry when it is asked in this dialect. */
  capabilities(dialect: DialectName): TransportCapabilities;
  for<Name extends DialectName>(dialect: Name): Promise<DialectUpstream<Name>>;
  /** Counts as the model does. Absent where that is not possible. */
  countTokens?(
    request: RequestOf<'anthropic'>,
    options: { readonly headers: Headers; readonly signal: AbortSignal },
  ): Promise<number>;
  /** For the host's other endpoints, such as embeddings. Absent unless it is called over OpenAI's API. */
  readonly pass?: PassTo;
}

/** Sends a request to a host as it is. Throws what the host refuses. */
export type PassTo = (
  request: PassedRequest,
  client: { readonly headers: Headers; readonly signal: AbortSignal },
) => Promise<Response>;

/** A model that can be asked for. */
export interface GatewayModel {
  readonly id: string;
  readonly displayName?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
  readonly limits: ModelLimits;
  readonly maxOutputTokens?: number;
}

/** The model hosts behind a gateway. */
export interface Upstreams {
  /** Undefined where no upstream takes this model. */
  resolve(model: string): GatewayUpstream | undefined | Promise<GatewayUpstream | undefined>;
  models(signal: AbortSignal): Promise<readonly GatewayModel[]>;
  /** The first host whose files clients may use, by the API that they speak. @default no host's */
  files?(api: 'anthropic' | 'openai'): PassTo | undefined;
  /** Mistakes in the settings that keep the gateway from serving any model. @default nothing */
  problems?(): readonly string[];
}

/** Longer than any host's names, of which events keep many. */
const MOST_NAME_CHARACTERS = 2_048;

/** Throws for a model's name of a length that no host has. */
export function checkModelName(model: string): void {
  if (model.length <= MOST_NAME_CHARACTERS) return;
  throw new ApiError(400, `model: a name may have ${MOST_NAME_CHARACTERS} characters`, { param: 'model' });
}
