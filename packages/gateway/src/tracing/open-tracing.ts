import { SettingError } from '@quartermaster/core/errors';
import { createTracing } from './create-tracing.ts';
import type { Tracing } from './tracing.ts';

/** The environment of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Tracing as configured by OpenTelemetry's standard variables; undefined if they name no endpoint, in which case no package
 * is loaded. `OTEL_EXPORTER_OTLP_*` say where spans go, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` whose they are,
 * `OTEL_TRACES_SAMPLER` which, `OTEL_BSP_*` how many at a time; `OTEL_TRACES_EXPORTER=none` and `OTEL_SDK_DISABLED=true` turn
 * it off.
 */
export async function openTracing(env: Environment = process.env): Promise<Tracing | undefined> {
  if (!isWanted(env)) return undefined;
  const [otel, sdk, resources, exporter] = await load(protocolOf(env));
  const detected = resources.detectResources({ detectors: [resources.envDetector] });
  const named = resources.resourceFromAttributes({ 'service.name': env.OTEL_SERVICE_NAME || DEFAULT_NAME });
  const provider = new sdk.BasicTracerProvider({
    resource: resources.defaultResource().merge(named).merge(detected),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  return createTracing(otel, {
    tracer: provider.getTracer('quartermaster'),
    now: Date.now,
    // An unreachable collector must not keep the gateway from stopping.
    close: () => provider.shutdown().catch(() => undefined),
  });
}

const DEFAULT_NAME = 'quartermaster';

function isWanted(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  const exporter = env.OTEL_TRACES_EXPORTER || 'otlp';
  if (exporter === 'none') return false;
  if (exporter !== 'otlp') throw unusable('OTEL_TRACES_EXPORTER', exporter, 'otlp, none');
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT);
}

function protocolOf(env: Environment): 'http/json' | 'http/protobuf' {
  const specific = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL' : undefined;
  const name = specific ?? 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = env[name] || 'http/protobuf';
  if (protocol === 'http/json' || protocol === 'http/protobuf') return protocol;
  throw unusable(name, protocol, 'http/protobuf, http/json');
}

async function load(protocol: 'http/json' | 'http/protobuf') {
  try {
    const { OTLPTraceExporter } =
      protocol === 'http/json'
        ? await import('@opentelemetry/exporter-trace-otlp-http')
        : await import('@opentelemetry/exporter-trace-otlp-proto');
    return [
      await import('@opentelemetry/api'),
      await import('@opentelemetry/sdk-trace-base'),
      await import('@opentelemetry/resources'),
      new OTLPTraceExporter(),
    ] as const;
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    const packages = `@opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/resources ${EXPORTERS[protocol]}`;
    throw new SettingError(
      'invalid_setting',
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: npm install ${packages}, or unset the variable`,
      { context: { setting: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: '' }, cause },
    );
  }
}

const EXPORTERS = {
  'http/json': '@opentelemetry/exporter-trace-otlp-http',
  'http/protobuf': '@opentelemetry/exporter-trace-otlp-proto',
} as const;

function unusable(setting: string, value: string, allowed: string): SettingError {
  return new SettingError(
    'invalid_setting',
    `${setting} is ${JSON.stringify(value.slice(0, 60))}; allowed: ${allowed}`,
    {
      context: { setting, value },
    },
  );
}
