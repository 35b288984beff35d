import { type DialectName, type DialectOf, limitHeadersIn, type PartOf } from '@quartermaster/host/upstream';
import { type OpenExchange, streamBody, tallyUse } from '../exchange/index.ts';
import type { GatewaySettings } from '../gateway-options.ts';
import { type ApiError, clientHeaders, type RequestContext, readBytes } from '../http/index.ts';
import type { Services } from './services.ts';

/** What the end of a response calls: a stream ends long after it was answered. */
export type OnEnd = (error?: ApiError) => void;

/** Answers a request to a model: whole, or as a stream whose first part decides the status. */
export async function answerModelRequest<Name extends DialectName>(
  dialect: DialectOf<Name>,
  context: Services,
  { requestContext, onEnd }: { readonly requestContext: RequestContext; readonly onEnd: OnEnd },
): Promise<Response> {
  const { settings, models, activity } = context;
  const { request, requestId, access, signal, facts } = requestContext;
  activity.begin(requestId);
  const bytes = await readBytes(request, settings.maxBodyBytes);
  let limits: Record<string, string> = {};
  const exchange = await models.open({
    ...{ dialect, requestId, bytes, headers: clientHeaders(requestContext), access, signal },
    // The latest says what is left.
    onResponse: ({ headers }) => {
      limits = limitHeadersIn(headers);
    },
  });
  facts.model = exchange.model;
  facts.upstream = exchange.upstream;
  if (exchange.isStream)
    return answerStream(dialect, { exchange, settings, requestContext, onEnd, limits: () => limits });
  const response = await exchange.whole(signal);
  const tally = tallyUse(dialect, exchange);
  for (const part of dialect.whole.toParts(response)) tally.add(part);
  facts.used = tally.used;
  facts.called = tally.called;
  onEnd();
  return Response.json(response, { headers: limits });
}

async function answerStream<Name extends DialectName>(
  dialect: DialectOf<Name>,
  parts: {
    readonly exchange: OpenExchange<Name>;
    readonly settings: GatewaySettings;
    readonly requestContext: RequestContext;
    readonly onEnd: OnEnd;
    /** What the host says of its limits, once it has answered. */
    readonly limits: () => Readonly<Record<string, string>>;
  },
): Promise<Response> {
  const { exchange, settings, requestContext, onEnd } = parts;
  const gone = new AbortController();
  const tally = tallyUse(dialect, exchange);
  const all = exchange.stream(AbortSignal.any([requestContext.signal, gone.signal]));
  const rest = exchange.hidesUsage ? withoutUsage(dialect, all, tally) : all;
  const first = await rest.next();
  const body = streamBody({
    dialect,
    first,
    rest,
    pingMs: settings.pingMs,
    onPart: (part) => tally.add(part),
    onEnd(error) {
      requestContext.facts.used = tally.used;
      requestContext.facts.called = tally.called;
      onEnd(error);
    },
    abort: () => gone.abort(),
  });
  return new Response(body, { headers: { ...parts.limits(), ...EVENT_STREAM } });
}

/** How server-sent events are sent. */
export const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Proxies that gather an answer before they pass it on would hold up every event.
  'x-accel-buffering': 'no',
};

/** The parts that the client asked for. Of the others it is noted what they tell. */
function withoutUsage<Name extends DialectName>(
  dialect: DialectOf<Name>,
  all: AsyncIterator<PartOf<Name>>,
  tally: ReturnType<typeof tallyUse<Name>>,
): AsyncIterator<PartOf<Name>> {
  return {
    async next() {
      for (;;) {
        const result = await all.next();
        if (result.done === true || dialect.api.isUsageOnly?.(result.value) !== true) return result;
        tally.add(result.value);
      }
    },
    async return() {
      await all.return?.();
      return { done: true, value: undefined };
    },
  };
}
