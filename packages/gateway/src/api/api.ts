import type { Context, Hono, MiddlewareHandler } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import type { BlankEnv } from 'hono/types';
import type { Schema } from './schema.ts';

/** The documentation of one route. */
export interface Operation {
  /** The part of the gateway by which keys are restricted. Undefined for routes that need no key. */
  readonly endpoint: string | undefined;
  readonly summary: string;
  /** The fields of the query string, as an object. */
  readonly query?: Schema;
  readonly body?: Schema;
  /** The body of a successful answer. @default any JSON */
  readonly answer?: Schema;
  /** The content type, if it is not JSON. @default application/json */
  readonly answerType?: string;
  /** The body of any other answer. @default an error, for routes that need a key; none otherwise */
  readonly failure?: Schema;
  /** Its content type. @default application/json */
  readonly failureType?: string;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface ApiRoute extends Operation {
  readonly method: Method;
  /** In OpenAPI's format: `/v1/catalogs/{name}`. */
  readonly path: string;
}

type Handler<Path extends string> = (context: Context<BlankEnv, Path>) => Response | Promise<Response>;
type Mount = <Path extends string>(path: Path, operation: Operation, handler: Handler<Path>) => void;

/** Registers routes: one call both serves and documents a route, so that the document can't miss one. */
export interface Api extends Readonly<Record<Method, Mount>> {
  /** For routes that are no part of the API. */
  readonly app: Hono;
  readonly routes: readonly ApiRoute[];
  /** The methods of a path, in capitals; none for an unknown path. */
  methodsOf(path: string): readonly string[];
}

export function createApi(app: Hono): Api {
  const routes: ApiRoute[] = [];
  const methods = new TrieRouter<string>();
  const mount =
    (method: Method): Mount =>
    (path, operation, handler) => {
      routes.push({ ...operation, method, path: path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}') });
      methods.add('ALL', path, method.toUpperCase());
      app.on(method.toUpperCase(), path, handler as unknown as MiddlewareHandler);
    };
  return {
    ...{ app, routes },
    methodsOf(path) {
      const found = methods.match('ALL', path)[0].map(([method]) => method);
      return found.includes('GET') ? [...found, 'HEAD'] : found;
    },
    get: mount('get'),
    post: mount('post'),
    put: mount('put'),
    patch: mount('patch'),
    delete: mount('delete'),
  };
}
