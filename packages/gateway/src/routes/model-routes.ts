import type { Dialect } from '@quartermaster/host/upstream';
import type { Hono } from 'hono';
import type { Surface } from '../exchange/index.ts';
import { anthropicErrorBody, clientHeaders, errorBodyFor, readBytes } from '../http/index.ts';
import { answerModelRequest } from './answer-model-request.ts';
import { getModel, listModels } from './list-models.ts';
import type { Services } from './services.ts';

/** Requests to models in every dialect, and which models there are. */
export function mountModelRoutes(app: Hono, services: Services): void {
  const { reception, upstreams, models, settings, surfaces } = services;

  function mountSurface<Name extends Dialect>(path: string, route: string, surface: Surface<Name>): void {
    app.post(path, (context) =>
      reception.receive(context.req.raw, {
        route,
        errorBody: surface.errorBody,
        handler: (visit, onEnd) => answerModelRequest(surface, services, { visit, onEnd }),
      }),
    );
  }
  mountSurface('/v1/messages', 'messages', surfaces.anthropic);
  mountSurface('/v1/chat/completions', 'chat_completions', surfaces['openai-chat']);
  mountSurface('/v1/responses', 'responses', surfaces['openai-responses']);

  app.post('/v1/messages/count_tokens', (context) =>
    reception.receive(context.req.raw, {
      route: 'count_tokens',
      errorBody: anthropicErrorBody,
      async handler(visit) {
        const { request, access, signal } = visit;
        const bytes = await readBytes(request, settings.maxBodyBytes);
        const question = { surface: surfaces.anthropic, bytes, headers: clientHeaders(visit), access, signal };
        return Response.json({ input_tokens: await models.countTokens(question) });
      },
    }),
  );

  app.get('/v1/models', (context) =>
    reception.receive(context.req.raw, {
      route: 'models',
      errorBody: errorBodyFor(context.req.raw),
      handler: async ({ access, request, signal }) =>
        Response.json(await listModels(upstreams, { access, signal, url: new URL(request.url) })),
    }),
  );
  app.get('/v1/models/:id{.+}', (context) =>
    reception.receive(context.req.raw, {
      route: 'models',
      errorBody: errorBodyFor(context.req.raw),
      handler: async ({ access, signal }) =>
        Response.json(await getModel(upstreams, { access, signal, id: context.req.param('id') })),
    }),
  );
}
