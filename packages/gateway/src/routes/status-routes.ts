import { defined } from '@quartermaster/core/internal';
import type { Hono } from 'hono';
import { ApiError, anthropicErrorBody, errorBodyFor, isStoreError } from '../http/index.ts';
import type { Services } from './services.ts';

/** Whether it is there, whether it can serve, what it has done. Probes need no key, and tell no more than which part is away. */
export function mountStatusRoutes(app: Hono, { reception, metrics, store, upstreams, clock }: Services): void {
  const check = async (): Promise<Readonly<Record<string, string>>> => {
    const storeProblem = await problemOf(store, clock);
    const [upstreamProblem] = upstreams.problems?.() ?? [];
    return {
      ...defined({ store: storeProblem, upstreams: upstreamProblem }),
    };
  };

  app.get('/livez', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', async (context) => {
    const reasons = await check();
    if (Object.keys(reasons).length === 0) return context.json({ status: 'ready' });
    return context.json({ status: 'not ready', reasons }, 503, RETRY);
  });
  app.get('/healthz', async (context) => {
    const reason = await problemOf(store, clock);
    return reason === undefined
      ? context.json({ status: 'ok' })
      : context.json({ status: 'failing', reason }, 503, RETRY);
  });
  app.get('/metrics', (context) =>
    reception.receive(context.req.raw, {
      route: 'metrics',
      isLimited: false,
      errorBody: anthropicErrorBody,
      handler: async () => new Response(metrics.registry.render(), { headers: PROMETHEUS }),
    }),
  );
  app.notFound((context) =>
    reception.receive(context.req.raw, {
      route: 'unknown',
      isLimited: false,
      errorBody: errorBodyFor(context.req.raw),
      async handler({ request }) {
        throw new ApiError(404, `Not found: ${request.method} ${new URL(request.url).pathname.slice(0, 200)}`);
      },
    }),
  );
}

/** Probes have short timeouts of their own, and should hear the reason before those run out. */
const PROBE_MS = 2_000;

const RETRY = { 'retry-after': '1' };

/** What is wrong with the store, for people. */
function problemOf(store: Services['store'], clock: Services['clock']): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (store === undefined) return resolve(undefined);
    const cancel = clock.after(PROBE_MS, () => resolve(`The store has not answered for ${PROBE_MS} ms`));
    store
      .ping()
      .then(
        () => resolve(undefined),
        (error) => resolve(isStoreError(error) ? error.message : 'The store does not answer'),
      )
      .finally(cancel);
  });
}

const PROMETHEUS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
