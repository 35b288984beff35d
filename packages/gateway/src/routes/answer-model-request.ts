import type { Dialect, DialectShapes } from '@quartermaster/host/upstream';
import { type OpenExchange, type Surface, streamBody } from '../exchange/index.ts';
import type { GatewaySettings } from '../gateway-options.ts';
import { type ApiError, readBytes, type Visit } from '../http/index.ts';
import type { Services } from './services.ts';

/** What the end of a response calls: a stream ends long after it was answered. */
export type OnEnd = (error?: ApiError) => void;

/** Answers a request to a model: whole, or as a stream whose first part decides the status. */
export async function answerModelRequest<Name extends Dialect>(
  surface: Surface<Name>,
  context: Services,
  { visit, onEnd }: { readonly visit: Visit; readonly onEnd: OnEnd },
): Promise<Response> {
  const { settings, models } = context;
  const { request, access, signal, facts } = visit;
  const bytes = await readBytes(request, settings.maxBodyBytes);
  const exchange = await models.open({ surface, bytes, headers: request.headers, access, signal });
  facts.model = exchange.model;
  facts.upstream = exchange.upstream;
  if (exchange.isStream) return answerStream(surface, { exchange, settings, visit, onEnd });
  const response = await exchange.whole(signal);
  for (const part of surface.whole.apart(response)) noteUsage(surface, visit, part);
  onEnd();
  return Response.json(response);
}

async function answerStream<Name extends Dialect>(
  surface: Surface<Name>,
  parts: {
    readonly exchange: OpenExchange<Name>;
    readonly settings: GatewaySettings;
    readonly visit: Visit;
    readonly onEnd: OnEnd;
  },
): Promise<Response> {
  const { exchange, settings, visit, onEnd } = parts;
  const gone = new AbortController();
  const rest = exchange.stream(AbortSignal.any([visit.signal, gone.signal]));
  const first = await rest.next();
  const body = streamBody({
    surface,
    first,
    rest,
    pingMs: settings.pingMs,
    onPart: (part) => noteUsage(surface, visit, part),
    onEnd,
    abort: () => gone.abort(),
  });
  return new Response(body, { headers: STREAM });
}

const STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Proxies that gather an answer before they pass it on would hold up every event.
  'x-accel-buffering': 'no',
};

function noteUsage<Name extends Dialect>(
  surface: Surface<Name>,
  { facts }: Visit,
  part: DialectShapes[Name]['part'],
): void {
  const used = surface.readUsage(part);
  if (used === undefined) return;
  facts.inputTokens = used.inputTokens;
  facts.outputTokens = used.outputTokens;
}
