import type { JsonObject } from '@quartermaster/core/catalog';
import type { ApiRoute } from './api.ts';
import { allComponents, component, record, type Schema, TEXT } from './schema.ts';

/** The routes as an OpenAPI 3.1 document. */
export function writeOpenApi(routes: readonly ApiRoute[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: writeOperation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quartermaster gateway',
      version,
      description: 'Tool search for language models: models, search, catalogs, servers, keys and insight.',
    },
    paths,
    components: {
      schemas: allComponents(),
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

/** The errors of every route, in the format of Anthropic's API. */
const ERROR: Schema = component(
  'ErrorAnswer',
  record(
    { error: record({ type: TEXT, message: TEXT }, { additionalProperties: true }) },
    { additionalProperties: true },
  ),
);

function writeOperation(route: ApiRoute): JsonObject {
  const { method, path, endpoint, summary, query, body, answer = {}, answerType = JSON_TYPE } = route;
  const { failure = endpoint === undefined ? undefined : ERROR, failureType = JSON_TYPE } = route;
  const parameters = [...pathParameters(path), ...queryParameters(query)];
  return {
    operationId: operationId(method, path),
    summary,
    ...(endpoint === undefined ? {} : { tags: [endpoint], security: [{ key: [] }, { bearer: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } } }),
    responses: {
      '2XX': { description: 'Success', content: { [answerType]: { schema: answer } } },
      ...(failure === undefined
        ? {}
        : { default: { description: 'Refused or failed', content: { [failureType]: { schema: failure } } } }),
    },
  };
}

const JSON_TYPE = 'application/json';

function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: TEXT }));
}

function queryParameters(query: Schema | undefined): readonly JsonObject[] {
  const fields = (query?.properties ?? {}) as Readonly<Record<string, Schema>>;
  const required = (query?.required ?? []) as readonly string[];
  return Object.entries(fields).map(([name, schema]) => ({
    ...{ name, in: 'query', schema },
    ...(required.includes(name) ? { required: true } : {}),
  }));
}

/** `get /v1/catalogs/{name}/tools` is `get_v1_catalogs_name_tools`. */
function operationId(method: string, path: string): string {
  return [method, ...path.split('/').map((part) => part.replace(/\W/g, ''))].filter((part) => part !== '').join('_');
}
