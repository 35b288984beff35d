import type { Hono } from 'hono';
import { ApiError, anthropicErrorBody } from '../http/index.ts';
import type { Services } from './services.ts';

/** Whether it is there, whether it is well, what it has done. */
export function mountStatusRoutes(app: Hono, { reception, metrics, store }: Services): void {
  // Some clients look whether anybody is there before the first call.
  app.get('/', (context) => context.text('Quartermaster gateway\n'));
  app.get('/healthz', async (context) => {
    try {
      await store?.ping();
      return context.json({ status: 'ok' });
    } catch {
      return context.json({ status: 'failing', reason: 'The store does not answer' }, 503);
    }
  });
  app.get('/metrics', (context) =>
    reception.receive(context.req.raw, {
      route: 'metrics',
      errorBody: anthropicErrorBody,
      handler: async () => new Response(metrics.registry.render(), { headers: PROMETHEUS }),
    }),
  );
  app.notFound((context) =>
    reception.receive(context.req.raw, {
      route: 'unknown',
      errorBody: anthropicErrorBody,
      async handler({ request }) {
        throw new ApiError(404, `Not found: ${request.method} ${new URL(request.url).pathname.slice(0, 200)}`);
      },
    }),
  );
}

const PROMETHEUS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
