import type { DialectName, DialectOf } from '@quartermaster/host/upstream';
import type { Api } from '../api/index.ts';
import { COUNT_TOKENS, GET_MODEL, LIST_MODELS, modelOperation } from '../api/model-operations.ts';
import { anthropicErrorBody, clientHeaders, errorBodyFor, readBytes } from '../http/index.ts';
import { answerModelRequest } from './answer-model-request.ts';
import { getModel, listModels } from './list-models.ts';
import type { Services } from './services.ts';

/** Requests to models in every dialect, and which models there are. */
export function mountModelRoutes(api: Api, services: Services): void {
  const { runner, upstreams, models, settings, dialects } = services;

  function mountDialect<Name extends DialectName>(dialect: DialectOf<Name>): void {
    const { path, route, errorBody } = dialect.api;
    api.post(path, modelOperation(route), (context) =>
      runner.run(context.req.raw, {
        route,
        errorBody,
        handler: (requestContext, onEnd) => answerModelRequest(dialect, services, { requestContext, onEnd }),
      }),
    );
  }
  for (const dialect of Object.values(dialects)) mountDialect(dialect as DialectOf<DialectName>);

  api.post('/v1/messages/count_tokens', COUNT_TOKENS, (context) =>
    runner.run(context.req.raw, {
      route: 'count_tokens',
      errorBody: anthropicErrorBody,
      async handler(requestContext) {
        const { request, access, signal } = requestContext;
        const bytes = await readBytes(request, settings.maxBodyBytes);
        const question = { dialect: dialects.anthropic, bytes, headers: clientHeaders(requestContext), access, signal };
        return Response.json({ input_tokens: await models.countTokens(question) });
      },
    }),
  );

  api.get('/v1/models', LIST_MODELS, (context) =>
    runner.run(context.req.raw, {
      route: 'models',
      errorBody: errorBodyFor(context.req.raw),
      handler: async ({ access, request, signal }) =>
        Response.json(await listModels(upstreams, { access, signal, url: new URL(request.url) })),
    }),
  );
  api.get('/v1/models/:id{.+}', GET_MODEL, (context) =>
    runner.run(context.req.raw, {
      route: 'models',
      errorBody: errorBodyFor(context.req.raw),
      handler: async ({ access, signal }) =>
        Response.json(await getModel(upstreams, { access, signal, id: context.req.param('id') })),
    }),
  );
}
