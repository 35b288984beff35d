import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { DIALECTS, type DialectName, type PartOf } from '@quartermaster/host/upstream';
import { type GatewayEvent, OpenRequests, type RequestRecord } from '../events/index.ts';
import type { Tracing } from './tracing.ts';

type OpenTelemetry = typeof import('@opentelemetry/api');

/** The span of a request in progress. */
interface TracedSpan {
  readonly requestId: string;
  readonly span: Span;
}

/** Spans that follow the conventions for generative AI and MCP. */
export function createTracing(
  otel: OpenTelemetry,
  { tracer, now, close }: { readonly tracer: Tracer; now(): number; close(): Promise<void> },
): Tracing {
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace } = otel;
  const open = new OpenRequests<TracedSpan>();

  const contextOf = (requestId: string | undefined): Context => {
    const span = requestId === undefined ? undefined : open.get(requestId)?.span;
    return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
  };
  const start = (name: string, options: SpanOptions, context: Context): Span =>
    tracer.startSpan(name, { startTime: now(), ...options }, context);
  const fail = (span: Span, type: string): void => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };

  function traceSearch(event: Extract<GatewayEvent, { kind: 'tool-search-end' }>): void {
    const { outcome, engine, confidence, found, queryCount, reranker, durationMs, requestId } = event;
    const endTime = now();
    const span = start(
      'execute_tool tool_search',
      {
        kind: SpanKind.INTERNAL,
        startTime: endTime - durationMs,
        attributes: {
          ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'tool_search' },
          ...{ 'gen_ai.tool.type': 'function', 'quartermaster.search.verdict': outcome },
          ...{ 'quartermaster.search.queries': queryCount, 'quartermaster.search.found': [...found] },
          ...(engine === undefined ? {} : { 'quartermaster.search.engine': engine }),
          ...(confidence === undefined ? {} : { 'quartermaster.search.confidence': confidence }),
          ...(reranker === undefined ? {} : { 'quartermaster.search.reranker': reranker }),
        },
      },
      contextOf(requestId),
    );
    if (outcome === 'failure') fail(span, 'search_failed');
    span.end(endTime);
  }

  return {
    beginRequest({ requestId, route, method, headers }) {
      const attributes = {
        ...{ 'http.route': route, 'quartermaster.request.id': requestId },
        ...(method === undefined ? {} : { 'http.request.method': method }),
      };
      const parent = headers === undefined ? ROOT_CONTEXT : parentOf(otel, headers);
      const name = method === undefined ? route : `${method} ${route}`;
      open.add({ requestId, span: start(name, { kind: SpanKind.SERVER, attributes }, parent) });
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
      const span = start(
        `chat ${model}`,
        {
          kind: SpanKind.CLIENT,
          attributes: {
            ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
            ...{ 'gen_ai.provider.name': upstream, 'quartermaster.dialect': dialect },
          },
        },
        contextOf(requestId),
      );
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
    beginCall({ requestId, tool, server }) {
      const span = start(
        `tools/call ${tool}`,
        {
          kind: SpanKind.CLIENT,
          attributes: {
            ...{ 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' },
            ...{ 'gen_ai.tool.name': tool, 'quartermaster.mcp.server': server },
          },
        },
        contextOf(requestId),
      );
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
  return {
    ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
    ...(key === undefined ? {} : { 'quartermaster.key': key }),
    ...(decision === undefined ? {} : { 'quartermaster.decision': decision }),
    'gen_ai.usage.input_tokens': record.inputTokens,
    'gen_ai.usage.output_tokens': record.outputTokens,
    'quartermaster.searches': searches.length,
    'quartermaster.rounds': rounds,
    ...(tokens === undefined
      ? {}
      : {
          'quartermaster.tokens.kept_out': tokens.keptOut,
          'quartermaster.tokens.added': tokens.added,
          'quartermaster.tokens.net': tokens.net,
        }),
  };
}

/** The client's trace in W3C Trace Context format. Anything else starts a new trace. */
function parentOf(
  { trace, createTraceState, isSpanContextValid, ROOT_CONTEXT }: OpenTelemetry,
  headers: Headers,
): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const state = headers.get('tracestate');
  const parent = {
    ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true },
    ...(state === null ? {} : { traceState: createTraceState(state) }),
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
