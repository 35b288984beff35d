import type {
  DialectName,
  DialectUpstream,
  PartOf,
  RequestOf,
  ResponseOf,
  UpstreamClient,
} from '@quartermaster/host/upstream';
import { type GatewayUpstream, mapUpstreams, type Upstreams } from '../configured-upstreams.ts';

/** Observes each call to a model. Must not throw. */
export interface AskObserver {
  /** Undefined if it is not interested. */
  begin(asked: Asked): Observation | undefined;
}

/** One call to a model for a response. */
export interface Asked {
  readonly requestId: string;
  readonly model: string;
  readonly upstream: string;
  readonly dialect: DialectName;
  /** The request as sent. */
  readonly request: object;
}

export interface Observation {
  /** Additional headers for the request. */
  readonly headers?: Readonly<Record<string, string>>;
  onPart(part: object): void;
  onWhole(response: object): void;
  end(error?: unknown): void;
}

/** The same upstreams with observers. Only for requests that have an id. */
export function observeUpstreams(upstreams: Upstreams, observers: readonly AskObserver[]): Upstreams {
  if (observers.length === 0) return upstreams;
  return mapUpstreams(upstreams, (upstream, model) => observed(upstream, model, observers));
}

function observed(upstream: GatewayUpstream, model: string, observers: readonly AskObserver[]): GatewayUpstream {
  return {
    ...upstream,
    async for<Name extends DialectName>(dialect: Name): Promise<DialectUpstream<Name>> {
      const exchange = await upstream.for(dialect);
      return {
        ...exchange,
        forClient: (client) => observedExchange(exchange, client, { model, upstream: upstream.name, observers }),
      };
    },
  };
}

function observedExchange<Name extends DialectName>(
  exchange: DialectUpstream<Name>,
  client: UpstreamClient,
  facts: { readonly model: string; readonly upstream: string; readonly observers: readonly AskObserver[] },
): DialectUpstream<Name> {
  const { requestId } = client;
  if (requestId === undefined) return exchange.forClient(client);
  const { observers, model, upstream } = facts;

  function begin(request: RequestOf<Name>): { exchange: DialectUpstream<Name>; all: readonly Observation[] } {
    const asked = { requestId: requestId ?? '', model, upstream, dialect: exchange.dialect, request };
    const all = observers.flatMap((observer) => observer.begin(asked) ?? []);
    const headers = new Headers(client.headers);
    for (const { headers: more = {} } of all)
      for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return { exchange: exchange.forClient({ ...client, headers }), all };
  }

  return {
    ...exchange,
    async *stream(request: RequestOf<Name>, signal: AbortSignal): AsyncGenerator<PartOf<Name>, void, undefined> {
      const { exchange: asked, all } = begin(request);
      let failure: unknown;
      try {
        for await (const part of asked.stream(request, signal)) {
          for (const one of all) one.onPart(part);
          yield part;
        }
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        // Also if the client leaves in the middle.
        for (const one of all) one.end(failure);
      }
    },
    async whole(request: RequestOf<Name>, signal: AbortSignal): Promise<ResponseOf<Name>> {
      const { exchange: asked, all } = begin(request);
      try {
        const response = await asked.whole(request, signal);
        for (const one of all) {
          one.onWhole(response);
          one.end();
        }
        return response;
      } catch (error) {
        for (const one of all) one.end(error);
        throw error;
      }
    },
    forClient: (next) => observedExchange(exchange, { ...client, ...next }, facts),
  };
}
