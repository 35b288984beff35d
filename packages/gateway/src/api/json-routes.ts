import { memoized } from '@quartermaster/core/internal';
import { checkValue } from '@quartermaster/host/schema';
import {
  ApiError,
  anthropicErrorBody,
  type ErrorBody,
  parseJson,
  type ReadableRequest,
  type RequestContext,
  type RequestRunner,
  type Route,
  readBytes,
} from '../http/index.ts';
import type { Api, Method, Operation } from './api.ts';
import { allComponents, type Schema } from './schema.ts';

/** A request that was admitted, as its route reads it. */
export interface RoutedRequest extends RequestContext {
  /** The fields of the query string. */
  readonly query: Readonly<Record<string, string>>;
  /** A parameter of the path. */
  param(name: string): string;
  /** The body, checked against the schema of the operation. Throws 400 with what is wrong. */
  readBody<Body>(): Promise<Body>;
  /** Called at the end of a stream; any other response ends with its answer. */
  onEnd(error?: ApiError): void;
}

/** Answers with a value that is sent as JSON, or with a whole response. */
export type JsonHandler = (request: RoutedRequest) => Promise<object>;

/** Makes handlers of routes that need a part of the gateway. Without that part they answer 404 with this message. */
export function needing<Part>(
  find: (request: RoutedRequest) => Part | undefined | Promise<Part | undefined>,
  message: string,
): (handler: (request: RoutedRequest, part: Part) => Promise<object>) => JsonHandler {
  return (handler) => async (request) => {
    const part = await find(request);
    if (part === undefined) throw new ApiError(404, message);
    return handler(request, part);
  };
}

/** What a request names. Throws if there is none. */
export function existing<Value>(value: Value | undefined, missing: () => ApiError): Value {
  if (value !== undefined) return value;
  throw missing();
}

type Mount = (
  path: string,
  operation: Omit<Operation, 'endpoint'>,
  handler: JsonHandler,
  options?: Pick<Route, 'isLimited' | 'usesModel'>,
) => void;

/** The routes of one part of the gateway: each is served and described by one call. */
export type JsonRoutes = Readonly<Record<Method, Mount>>;

/** Routes that keys are admitted to, that share an endpoint (for rights, metrics and the document) and a shape of errors. */
export function jsonRoutes(
  api: Api,
  runner: RequestRunner,
  endpoint: string,
  errorBody: ErrorBody = anthropicErrorBody,
): JsonRoutes {
  const mount =
    (method: Method): Mount =>
    (path, operation, handler, options) =>
      api[method](path, { endpoint, ...operation }, (context) =>
        runner.run(context.req.raw, {
          ...{ route: endpoint, errorBody, ...options },
          async handler(requestContext, onEnd) {
            const answer = await handler({
              ...requestContext,
              query: context.req.query(),
              param: (name) => context.req.param(name) ?? '',
              readBody: () => readJsonBody(requestContext, operation.body ?? {}),
              onEnd,
            });
            return answer instanceof Response ? answer : Response.json(answer);
          },
        }),
      );
  return { get: mount('get'), post: mount('post'), put: mount('put'), patch: mount('patch'), delete: mount('delete') };
}

/** Bodies of the management API are small. */
const MOST_BYTES = 1024 * 1024;

/** The body of a request, checked against the documented schema. Throws 400 with the reason. */
async function readJsonBody<Body>(request: ReadableRequest, schema: Schema): Promise<Body> {
  const value = parseJson(await readBytes(request, MOST_BYTES));
  const check = checkValue(whole(schema), value);
  if (check.kind === 'good') return value as Body;
  const [problem] = check.problems;
  throw new ApiError(400, problem === undefined ? 'The request body is not valid' : describe(problem));
}

/** With the components that it refers to. The same schema returns the same value: the checker prepares each one once. */
const whole = memoized((schema: Schema): Schema => ({ ...schema, components: { schemas: allComponents() } }));

function describe({ path, message }: { readonly path: string; readonly message: string }): string {
  return path === '' ? message : `${path}: ${message}`;
}
