import type { Clock } from '@quartermaster/core/internal';
import { type DialectName, type DialectOf, limitHeadersIn, type PartOf } from '@quartermaster/host/upstream';
import { type Api, jsonRoutes } from '../api/index.ts';
import { ANYTHING, limitUpTo, page, record, type Schema, TEXT, WHOLE } from '../api/schema.ts';
import { type OpenExchange, streamBody, tallyUse } from '../exchange/index.ts';
import type { GatewaySettings } from '../gateway-options.ts';
import { type ApiError, clientHeaders, type RequestContext, readBytes, sharedErrorBody } from '../http/index.ts';
import { getModel, listModels } from './list-models.ts';
import type { Services } from './services.ts';

/** Requests to models in every dialect, and the list of models. */
export function mountModelRoutes(api: Api, services: Services): void {
  const { runner, upstreams, models, settings, dialects } = services;

  function mountDialect<Name extends DialectName>(dialect: DialectOf<Name>): void {
    const { path, route, errorBody } = dialect.api;
    const summary = `${NAMES[route] ?? route}, with tool search. Streams if the request asks for it.`;
    api.post(path, { endpoint: route, summary, body: FOREIGN, answer: FOREIGN }, (context) =>
      runner.run(context.req.raw, {
        ...{ route, errorBody, usesModel: true },
        handler: (requestContext, onEnd) => answerModelRequest(dialect, services, { requestContext, onEnd }),
      }),
    );
  }
  for (const dialect of Object.values(dialects)) mountDialect(dialect as DialectOf<DialectName>);

  jsonRoutes(api, runner, 'count_tokens').post(
    '/v1/messages/count_tokens',
    {
      summary: 'Counts the input tokens of an Anthropic Messages request.',
      ...{ body: FOREIGN, answer: record({ input_tokens: WHOLE }) },
    },
    async (requestContext) => {
      const { access, signal, memory } = requestContext;
      const bytes = await readBytes(requestContext, settings.maxBodyBytes);
      const headers = clientHeaders(requestContext);
      const question = { dialect: dialects.anthropic, bytes, headers, access, signal, memory };
      return { input_tokens: await models.countTokens(question) };
    },
  );

  const listed = jsonRoutes(api, runner, 'models', sharedErrorBody);
  listed.get(
    '/v1/models',
    {
      summary: 'The models that this key may use.',
      query: record({ 'limit?': limitUpTo(1_000), 'after_id?': TEXT, 'before_id?': TEXT }),
      answer: record({ ...page(FOREIGN), object: TEXT }),
    },
    ({ access, signal, request }) => listModels(upstreams, { access, signal, url: new URL(request.url) }),
  );
  listed.get('/v1/models/:id{.+}', { summary: 'One model.', answer: ANYTHING }, ({ access, signal, param }) =>
    getModel(upstreams, { access, signal, id: param('id') }),
  );
}

/** Bodies and answers are those of the hosts' own APIs. */
const FOREIGN: Schema = { type: 'object' };

const NAMES: Readonly<Record<string, string>> = {
  messages: 'Anthropic Messages',
  chat_completions: 'OpenAI Chat Completions',
  responses: 'OpenAI Responses',
};

/** Called at the end of a response: a stream ends long after it began. */
export type OnEnd = (error?: ApiError) => void;

/** Answers a request to a model: whole, or as a stream whose first part decides the status. */
async function answerModelRequest<Name extends DialectName>(
  dialect: DialectOf<Name>,
  context: Services,
  { requestContext, onEnd }: { readonly requestContext: RequestContext; readonly onEnd: OnEnd },
): Promise<Response> {
  const { settings, models, activity } = context;
  const { requestId, access, signal, memory, facts } = requestContext;
  activity.begin(requestContext);
  const bytes = await readBytes(requestContext, settings.maxBodyBytes);
  let limits: Record<string, string> = {};
  let answered = 0;
  const exchange = await models.open({
    ...{ dialect, requestId, bytes, headers: clientHeaders(requestContext), access, signal, memory },
    // The latest report says what is left.
    onResponse: ({ status, headers }) => {
      limits = limitHeadersIn(headers);
      if (status < 400) answered += 1;
    },
  });
  facts.model = exchange.model;
  facts.upstream = exchange.upstream;
  // The host has started on a request whose client left before an answer arrived.
  const tally = tallyUse(dialect, exchange, () => (signal.aborted ? Math.max(1, answered) : answered));
  try {
    if (exchange.isStream)
      return await answerStream(dialect, {
        ...{ exchange, tally, settings, requestContext, onEnd, clock: context.clock, limits: () => limits },
      });
    const response = await exchange.whole(signal);
    for (const part of dialect.whole.toParts(response)) tally.add(part);
    facts.called = tally.called;
    facts.used = tally.used;
    onEnd();
    return Response.json(response, { headers: limits });
  } catch (error) {
    facts.used = tally.used;
    throw error;
  }
}

async function answerStream<Name extends DialectName>(
  dialect: DialectOf<Name>,
  parts: {
    readonly exchange: OpenExchange<Name>;
    readonly tally: ReturnType<typeof tallyUse<Name>>;
    readonly settings: GatewaySettings;
    readonly clock: Clock;
    readonly requestContext: RequestContext;
    readonly onEnd: OnEnd;
    /** What the host reports about its limits, once it has answered. */
    readonly limits: () => Readonly<Record<string, string>>;
  },
): Promise<Response> {
  const { exchange, tally, settings, clock, requestContext, onEnd } = parts;
  const gone = new AbortController();
  const all = exchange.stream(AbortSignal.any([requestContext.signal, gone.signal]));
  const rest = exchange.hidesUsage ? withoutUsage(dialect, all, tally) : all;
  const first = await rest.next();
  const body = streamBody({
    dialect,
    first,
    rest,
    pingMs: settings.pingMs,
    onPart(part) {
      requestContext.facts.sentAtMs = clock.now();
      tally.add(part);
    },
    onEnd(error) {
      requestContext.facts.used = tally.used;
      requestContext.facts.called = tally.called;
      onEnd(error);
    },
    abort: () => gone.abort(),
  });
  return new Response(body, { headers: { ...parts.limits(), ...EVENT_STREAM } });
}

/** The headers of server-sent events. */
export const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Proxies that buffer an answer before they forward it would delay every event.
  'x-accel-buffering': 'no',
};

/** The parts that the client asked for. The others are only counted. */
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
