import { defined, once } from '@quartermaster/core/internal';
import { type Api, jsonRoutes, writeOpenApi } from '../api/index.ts';
import { choice, named, record, type Schema, TEXT } from '../api/schema.ts';
import { ApiError, isStoreError, sharedErrorBody } from '../http/index.ts';
import type { Services } from './services.ts';

/** Whether the gateway runs, whether it can serve, and what it has done. Probes need no key, and only tell which part is unavailable. */
export function mountStatusRoutes(api: Api, { runner, metrics, store, upstreams, clock }: Services): void {
  const check = async (): Promise<Readonly<Record<string, string>>> => {
    const storeProblem = await problemOf(store, clock);
    const [upstreamProblem] = upstreams.problems?.() ?? [];
    return defined({ store: storeProblem, upstreams: upstreamProblem });
  };

  const open = (summary: string, answer: Schema, failure?: Schema) => ({
    ...{ endpoint: undefined, summary, answer },
    ...defined({ failure }),
  });
  const ok = record({ status: choice(['ok']) });
  api.get('/livez', open('Whether the process responds.', ok), (context) => context.json({ status: 'ok' }));
  const ready = record({ status: choice(['ready']) });
  const readiness = 'Whether the gateway can serve requests; 503 with the reasons if not.';
  const unready = record({ status: choice(['not ready']), reasons: record({ 'store?': TEXT, 'upstreams?': TEXT }) });
  api.get('/readyz', open(readiness, ready, unready), async (context) => {
    const reasons = await check();
    if (Object.keys(reasons).length === 0) return context.json({ status: 'ready' });
    return context.json({ status: 'not ready', reasons }, 503, RETRY);
  });
  const failing = record({ status: choice(['failing']), reason: TEXT });
  api.get('/healthz', open('Whether the store responds; 503 with the reason if not.', ok, failing), async (context) => {
    const reason = await problemOf(store, clock);
    return reason === undefined
      ? context.json({ status: 'ok' })
      : context.json({ status: 'failing', reason }, 503, RETRY);
  });
  const document = once(() => JSON.stringify(writeOpenApi(api.routes, VERSION)));
  api.get('/openapi.json', open('The OpenAPI document of the gateway.', named({})), () => {
    return new Response(document(), { headers: { 'content-type': 'application/json' } });
  });
  jsonRoutes(api, runner, 'metrics').get(
    '/metrics',
    { summary: 'Metrics in the Prometheus text format.', answer: TEXT, answerType: 'text/plain' },
    async () => new Response(metrics.registry.render(), { headers: PROMETHEUS }),
    { isLimited: false },
  );
  api.app.notFound((context) =>
    runner.run(context.req.raw, {
      route: 'unknown',
      isLimited: false,
      errorBody: sharedErrorBody,
      async handler({ request }) {
        const { pathname } = new URL(request.url);
        const allowed = api.methodsOf(pathname).join(', ');
        if (allowed === '') throw new ApiError(404, `Not found: ${request.method} ${pathname.slice(0, 200)}`);
        throw new ApiError(405, `${request.method} is not allowed for ${pathname.slice(0, 200)}; allowed: ${allowed}`, {
          headers: { allow: allowed },
        });
      },
    }),
  );
}

/** Probes have short timeouts of their own, and should get the reason before those expire. */
const PROBE_MS = 2_000;

/** The version of the API when this package was released. */
const VERSION = '0.4.0';

const RETRY = { 'retry-after': '1' };

/** What is wrong with the store, for people. */
function problemOf(store: Services['store'], clock: Services['clock']): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (store === undefined) return resolve(undefined);
    const cancel = clock.after(PROBE_MS, () => resolve(`The store has not responded for ${PROBE_MS} ms`));
    store
      .ping()
      .then(
        () => resolve(undefined),
        (error) => resolve(isStoreError(error) ? error.message : 'The store does not respond'),
      )
      .finally(cancel);
  });
}

const PROMETHEUS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
