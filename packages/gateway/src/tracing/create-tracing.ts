import type { Attributes, Context, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { defined } from '@quartermaster/core/internal';
import { DIALECTS, type DialectName, type PartOf } from '@quartermaster/host/upstream';
import { type EventOf, OpenRequests, type RequestRecord } from '../events/index.ts';
import type { Tracing } from './tracing.ts';

type OpenTelemetry = typeof import('@opentelemetry/api');

/** The span of a request in progress. */
interface TracedSpan {
  readonly requestId: string;
  readonly span: Span;
  /** Whether the request came in a trace of its client's. */
  readonly isContinued: boolean;
}

/** Spans that follow the conventions for generative AI and MCP. */
export function createTracing(
  otel: OpenTelemetry,
  { tracer, now, close }: { readonly tracer: Tracer; now(): number; close(): Promise<void> },
): Tracing {
  const { SpanKind: Kind, SpanStatusCode, ROOT_CONTEXT, trace } = otel;
  const open = new OpenRequests<TracedSpan>();

  const contextOf = (requestId: string | undefined): Context => {
    const span = requestId === undefined ? undefined : open.get(requestId)?.span;
    return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
  };
  const start = (name: string, kind: SpanKind, attributes: Attributes, context: Context, startTime = now()): Span =>
    tracer.startSpan(name, { kind, attributes, startTime }, context);
  const fail = (span: Span, type: string): void => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };

  function traceSearch(event: EventOf<'tool-search-end'>): void {
    const { outcome, engine, confidence, found, queryCount, reranker, durationMs, requestId, callId } = event;
    const endTime = now();
    const attributes = {
      ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'tool_search' },
      ...{ 'gen_ai.tool.type': 'function', 'quartermaster.search.verdict': outcome },
      ...{ 'quartermaster.search.queries': queryCount, 'quartermaster.search.found': [...found] },
      ...defined({ 'gen_ai.tool.call.id': callId, 'quartermaster.search.engine': engine }),
      ...defined({ 'quartermaster.search.confidence': confidence, 'quartermaster.search.reranker': reranker }),
    };
    const context = contextOf(requestId);
    const span = start('execute_tool tool_search', Kind.INTERNAL, attributes, context, endTime - durationMs);
    if (outcome === 'failure') fail(span, 'search_failed');
    span.end(endTime);
  }

  return {
    beginRequest({ requestId, route, method, url, headers }) {
      const attributes = {
        ...{ 'http.route': route, 'quartermaster.request.id': requestId },
        ...(method === undefined ? {} : { 'http.request.method': method }),
        ...(url === undefined ? {} : addressOf(url)),
      };
      const parent = parentOf(otel, headers?.get('traceparent'), headers?.get('tracestate'));
      const name = method === undefined ? route : `${method} ${route}`;
      const span = start(name, Kind.SERVER, attributes, parent);
      open.add({ requestId, span, isContinued: parent !== ROOT_CONTEXT });
    },
    dropRequest: (requestId) => void open.take(requestId),
    onEvent(event) {
      if (event.kind === 'tool-search-end') return traceSearch(event);
      if (event.kind !== 'request-end') return;
      const span = open.take(event.requestId)?.span;
      if (span === undefined) return;
      span.setAttribute('http.response.status_code', event.status);
      if (event.record !== undefined) span.setAttributes(attributesOf(event.record));
      if (event.status >= 500) fail(span, String(event.status));
      span.end(now());
    },
    begin({ requestId, model, upstream, dialect }) {
      const attributes = {
        ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
        ...{ 'gen_ai.provider.name': PROVIDERS[upstream] ?? upstream, 'quartermaster.dialect': dialect },
      };
      const span = start(`chat ${model}`, Kind.CLIENT, attributes, contextOf(requestId));
      const { api, whole } = DIALECTS[dialect];
      const used = { inputTokens: 0, outputTokens: 0 };
      const onPart = (part: object): void => {
        const told = api.readUsage(part as PartOf<DialectName> as never);
        if (told !== undefined) Object.assign(used, told);
      };
      return {
        headers: traceHeaders(span),
        onPart,
        onWhole(response) {
          for (const part of whole.toParts(response as never)) onPart(part);
        },
        end(error) {
          span.setAttributes({
            'gen_ai.usage.input_tokens': used.inputTokens,
            'gen_ai.usage.output_tokens': used.outputTokens,
          });
          if (error !== undefined) fail(span, error instanceof Error ? error.name : 'error');
          span.end(now());
        },
      };
    },
    beginCall({ requestId, tool, server, sent }) {
      const isContinued = requestId !== undefined && open.get(requestId)?.isContinued === true;
      const own = isContinued ? ROOT_CONTEXT : parentOf(otel, sent?.traceparent, sent?.tracestate);
      const attributes = {
        ...{ 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' },
        ...{ 'gen_ai.tool.name': tool, 'quartermaster.mcp.server': server },
      };
      const context = own === ROOT_CONTEXT ? contextOf(requestId) : own;
      const span = start(`tools/call ${tool}`, Kind.CLIENT, attributes, context);
      return {
        meta: traceHeaders(span),
        end(isError) {
          if (isError) fail(span, 'tool_error');
          span.end(now());
        },
      };
    },
    close,
  };
}

function attributesOf({ model, key, decision, searches, rounds, tokens, ...record }: RequestRecord): Attributes {
  const used =
    model === undefined
      ? {}
      : { 'gen_ai.usage.input_tokens': record.inputTokens, 'gen_ai.usage.output_tokens': record.outputTokens };
  return {
    ...defined({ 'gen_ai.request.model': model, 'quartermaster.key': key, 'quartermaster.decision': decision }),
    ...used,
    'quartermaster.searches': searches.length,
    // Counted for requests with deferred tools only.
    ...(rounds === 0 ? {} : { 'quartermaster.rounds': rounds }),
    ...defined({ 'quartermaster.tokens.kept_out': tokens?.keptOut, 'quartermaster.tokens.added': tokens?.added }),
    ...defined({ 'quartermaster.tokens.net': tokens?.net }),
  };
}

/** Without the query, which may hold a secret. */
function addressOf(url: string): Attributes {
  const { pathname, protocol } = new URL(url);
  return { 'url.path': pathname, 'url.scheme': protocol.slice(0, -1) };
}

/** Names of providers in the conventions that differ from those in the settings. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

/** The client's trace in W3C Trace Context format. Anything else starts a new trace. */
function parentOf(
  { trace, createTraceState, isSpanContextValid, ROOT_CONTEXT }: OpenTelemetry,
  traceparent: unknown,
  tracestate: unknown,
): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const parent = {
    ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true },
    ...(typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {}),
  };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;

function traceHeaders(span: Span): Readonly<Record<string, string>> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const state = traceState?.serialize() ?? '';
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    ...(state === '' ? {} : { tracestate: state }),
  };
}
