import type { Api, RequestRecord, RunningRequests } from './api.ts';
import { ApiFailure, messageOf } from './api-failure.ts';
import { readEvents } from './read-events.ts';

/** Where the gateway is, and how to reach it. */
export interface ClientOptions {
  /** Where the gateway is. @default the address of the page, in a browser */
  readonly baseUrl?: string;
  /** The key, or a function that is asked for it before each request. @default none */
  readonly apiKey?: string | (() => string | undefined);
  /** @default the global one */
  readonly fetch?: typeof globalThis.fetch;
}

/** A method and a path of the gateway's document. */
export type Route = keyof Api;

type Input<Name extends Route> = Api[Name]['input'] & { readonly signal?: AbortSignal };

/** What may be left out where a route needs nothing. */
type Arguments<Name extends Route> = object extends Api[Name]['input'] ? [input?: Input<Name>] : [input: Input<Name>];

/** A client of a gateway. */
export interface Client {
  /** Throws an `ApiFailure` for an answer that is not a success. */
  request<Name extends Route>(route: Name, ...input: Arguments<Name>): Promise<Api[Name]['answer']>;
  /** Requests that the gateway answers from now on, until the signal aborts or the gateway closes the connection. */
  follow(options?: FollowOptions): AsyncGenerator<RequestRecord>;
}

/** What else is reported while requests are followed. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The gateway has accepted: from now on nothing is missed without being reported. */
  readonly onOpen?: () => void;
  /** So many events were left out, because they were read too slowly. */
  readonly onMissed?: (events: number) => void;
  /** The requests in progress, whenever they have changed. */
  readonly onRunning?: (running: RunningRequests) => void;
  /** An MCP server's state or one of its definitions has changed. Only admin keys get this event. */
  readonly onServer?: (notice: ServerNotice) => void;
}

/** A change of a configured MCP server. */
export type ServerNotice =
  | {
      readonly kind: 'server-change';
      readonly server: string;
      readonly state: string;
      readonly reason?: string;
      readonly toolCount: number;
    }
  | {
      readonly kind: 'definition-change';
      readonly tool: string;
      readonly fields: readonly string[];
      /** Whether the tool is out of use until the change is accepted. */
      readonly isHeld: boolean;
    };

/**
 * A typed client of a gateway's HTTP API.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8787', apiKey });
 * const { data } = await client.request('GET /v1/catalogs');
 */
export function createClient(options: ClientOptions = {}): Client {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`createClient: unknown option ${JSON.stringify(unknown)}; allowed: ${OPTIONS.join(', ')}`);
  }
  const { baseUrl = '', apiKey } = options;
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));

  async function send(path: string, init: RequestInit): Promise<Response> {
    const key = typeof apiKey === 'function' ? apiKey() : apiKey;
    const headers = new Headers(init.headers);
    if (key !== undefined) headers.set('x-api-key', key);
    let response: Response;
    try {
      response = await fetch(baseUrl.replace(/\/+$/, '') + path, { redirect: 'error', ...init, headers });
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      throw new ApiFailure(0, 'The gateway could not be reached', { cause });
    }
    if (response.ok) return response;
    const answer: unknown = await response.json().catch(() => undefined);
    throw new ApiFailure(response.status, messageOf(answer) ?? `The gateway answered ${response.status}`);
  }

  return {
    async request(route, ...[input]) {
      const [method = '', template = ''] = route.split(' ');
      const { path = {}, query = {}, body, signal } = (input ?? {}) as LooseInput;
      const response = await send(fillPath(template, path) + writeQuery(query), {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        ...(signal === undefined ? {} : { signal }),
      });
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      const isLines = response.headers.get('content-type')?.includes('jsonl') === true;
      return (isJson && !isLines ? await response.json() : await response.text()) as Api[typeof route]['answer'];
    },
    async *follow({ signal, onOpen, onMissed, onRunning, onServer } = {}) {
      const response = await send('/v1/activity/live', signal === undefined ? {} : { signal });
      if (response.body === null) throw new ApiFailure(response.status, 'The gateway sends no live events');
      onOpen?.();
      for await (const { event, data } of readEvents(response.body)) {
        if (event === 'missed') onMissed?.(Number(data));
        if (event === 'running') onRunning?.(JSON.parse(data) as RunningRequests);
        if (event === 'server') onServer?.(JSON.parse(data) as ServerNotice);
        if (event === 'request') yield JSON.parse(data) as RequestRecord;
      }
    },
  };
}

const OPTIONS: readonly string[] = ['apiKey', 'baseUrl', 'fetch'] satisfies readonly (keyof ClientOptions)[];

interface LooseInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

function writeQuery(query: NonNullable<LooseInput['query']>): string {
  const fields = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`;
}
