import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { BlankEnv } from 'hono/types';
import type { Schema } from './schema.ts';

/** What the document says of one route. */
export interface Operation {
  /** The part of the gateway, by which keys are limited. Undefined for what needs no key. */
  readonly endpoint: string | undefined;
  readonly summary: string;
  /** The fields of the query string, as an object. */
  readonly query?: Schema;
  readonly body?: Schema;
  /** What a success answers with. @default any JSON */
  readonly answer?: Schema;
  /** Where an answer is not JSON. @default application/json */
  readonly answerType?: string;
}

/** An operation whose body is checked against what the document says. */
export interface CheckedOperation extends Operation {
  readonly body: NonNullable<Operation['body']>;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface ApiRoute extends Operation {
  readonly method: Method;
  /** As OpenAPI writes it: `/v1/catalogs/{name}`. */
  readonly path: string;
}

type Handler<Path extends string> = (context: Context<BlankEnv, Path>) => Response | Promise<Response>;
type Mount = <Path extends string>(path: Path, operation: Operation, handler: Handler<Path>) => void;

/** Where routes are made: each is served and described by one call, so that the document can't miss one. */
export interface Api extends Readonly<Record<Method, Mount>> {
  readonly routes: readonly ApiRoute[];
  /** The methods that a path is served by, in capitals; none for a path that is not there. */
  methodsOf(path: string): readonly string[];
}

export function createApi(app: Hono): Api {
  const routes: ApiRoute[] = [];
  const patterns: { readonly method: Method; readonly pattern: RegExp }[] = [];
  const mount =
    (method: Method): Mount =>
    (path, operation, handler) => {
      routes.push({ ...operation, method, path: path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}') });
      patterns.push({ method, pattern: patternOf(path) });
      app.on(method.toUpperCase(), path, handler as unknown as MiddlewareHandler);
    };
  return {
    routes,
    methodsOf(path) {
      const found = patterns.flatMap(({ pattern, method }) => (pattern.test(path) ? [method.toUpperCase()] : []));
      return found.includes('GET') ? [...found, 'HEAD'] : found;
    },
    get: mount('get'),
    post: mount('post'),
    put: mount('put'),
    patch: mount('patch'),
    delete: mount('delete'),
  };
}

/** As the router reads a path: `:name` stands for one part of it, `:name{pattern}` for what the pattern matches. */
function patternOf(path: string): RegExp {
  const source = path.replace(/:\w+(?:\{([^}]*)\})?|\./g, (found, pattern = '[^/]+') =>
    found === '.' ? '\\.' : pattern,
  );
  return new RegExp(`^${source}$`);
}
