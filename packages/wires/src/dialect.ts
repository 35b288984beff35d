import type { Tool } from '@quartermaster/core';
import type { JsonObject, ToolFormat } from '@quartermaster/core/catalog';
import type { Form, TransportCapabilities } from '@quartermaster/core/disclosure';
import type { Opened, OpenedSearch, Whole, Wire } from '@quartermaster/core/loop';

export { requestedLimit } from './internal/other-spellings.ts';

/**
 * Everything that surfaces and upstreams need to know about one protocol. `wire` and `whole` are its codec, `endpoint` is its use over
 * HTTP, `api` is what its own API checks, rejects and reports. Nothing outside asks which protocol it is.
 */
export interface Dialect<Request, Part, Response, Name extends string = string> {
  /** `anthropic`, `openai-chat`, …: in settings, events and keys. */
  readonly name: Name;
  readonly wire: Wire<Request, Part>;
  readonly whole: Whole<Response, Part>;
  readonly endpoint: Endpoint<Part>;
  readonly api: Api<Request, Part>;
  /** What differs for a request whose MCP servers are called within the response. Absent if requests can't name any. */
  withServers?(servers: NamedServers): Pick<Dialect<Request, Part, Response>, 'wire' | 'api'>;
  /** For types alone; never set. */
  readonly shapes?: { readonly request: Request; readonly part: Part; readonly response: Response };
}

/** The MCP servers that a request names, with their tools. Plain data: it may be sent to another thread. */
export interface NamedServers {
  readonly servers: readonly string[];
  readonly tools: readonly ServerTool[];
  /** Blocks before everything that the model says. */
  readonly opening: readonly JsonObject[];
}

/** A tool of an MCP server that the request names. */
export interface ServerTool {
  readonly server: string;
  readonly name: string;
  /** The model's name for it. */
  readonly modelName: string;
}

/** A protocol over HTTP, towards its host and towards its clients. */
export interface Endpoint<Part> {
  /** The address of the provider's own host. */
  readonly baseUrl: string;
  /** The path of requests, below the base address. */
  readonly path: string;
  /** The name of the provider's own host in core's table of transports. */
  readonly transport: string;
  /** Sets the credential as this version of the API expects it. */
  authorize(headers: Headers, apiKey: string): void;
  /** The error in a part. */
  errorIn(part: Part): JsonObject | undefined;
  /** Whether the response is complete with this part: a stream that ends before such a part has been cut. */
  isComplete(part: Part): boolean;
  /**
   * Why a host's whole response can't be read; undefined if it can. Only what is read here is checked: unknown fields are
   * accepted.
   */
  problemInWhole(answer: JsonObject): string | undefined;
  /** The same for one part of a stream. */
  problemInPart(part: JsonObject): string | undefined;
  writePart(part: Part): string;
  /** What follows the last part of a stream that ended normally. */
  readonly streamEnd: string;
  /** Keeps a connection alive and has no meaning. */
  readonly ping: string;
}

/** What a protocol's own API checks, rejects and reports. */
export interface Api<Request, Part> {
  /** Where clients of a gateway send requests. */
  readonly path: string;
  /** The name of the path in metrics, logs and the permissions of keys. */
  readonly route: string;
  readonly format: ToolFormat;
  /** The longest tool name that the API accepts. */
  readonly maxNameLength: number;
  /** Whether searches offer a way to ask for descriptions, which needs a place in the messages. */
  readonly describe: boolean;
  /** Throws a `RequestError` for a body that the API itself would reject. */
  validate(value: JsonObject, context: ValidationContext): void;
  /** Throws a `RequestError` for what this host can't serve and would silently drop. @default nothing is rejected */
  refuse?(request: Request, can: TransportCapabilities): void;
  /** Whether the request names MCP servers to call within the response, or has called them before. @default it can't */
  namesServers?(value: JsonObject): boolean;
  /** The tools that a list of definitions declares, and how its client searches. Tools that say nothing are `automatic`. */
  readTools(definitions: readonly unknown[], request: Request): ReadTools;
  /** How this request's client searches; `searchTools` are those that `readTools` returned. */
  openSearch(request: Request, searchTools: readonly JsonObject[]): RequestSearch;
  /** Whether the tools of a request are only in `tools`. Otherwise that text does not identify them. @default true */
  hasAllTools?(request: Request): boolean;
  /** Whether the client may refer to the response later. @default false */
  isStored?(request: Request): boolean;
  /** How schemas reach a model over this transport. */
  form(can: TransportCapabilities, search: OpenedSearch | undefined): Form;
  /** Whether the host itself runs the search, or expands what the client has found. */
  isServed(search: OpenedSearch | undefined, can: TransportCapabilities): boolean;
  errorBody(error: ErrorFacts, requestId: string): object;
  /** Text that ends a failed stream. */
  writeError(error: ErrorFacts): string;
  /** The totals of a response, as far as this part has them. A later part replaces them. */
  readUsage(part: Part): UsageFacts | undefined;
  /**
   * The request with a question for its usage, if its client did not ask: otherwise a key's budget could be used up unnoticed.
   * The parts that answer it are `isUsageOnly`. Undefined if nothing has to be added.
   */
  metered?(request: Request): Request | undefined;
  isUsageOnly?(part: Part): boolean;
  /** How many characters of the model's answer this part has: output is estimated if no usage is reported. */
  writtenLength(part: Part): number;
  /** The names of the tools whose calls begin with this part. */
  readCalls(part: Part): readonly string[];
}

/** How a request's client searches. */
export interface RequestSearch {
  /** Missing if the client has no search. */
  readonly search?: OpenedSearch | undefined;
  /** The whole request, if it had to be opened to find out: the loop need not open it again. */
  readonly opened?: Opened;
}

/** The tools that a request declares, and how it wants to search. */
export interface ReadTools extends Pick<Opened, 'tools' | 'search'> {
  /** The definitions that identify a request's search, so that thousands of others need not be read again. */
  readonly searchTools: readonly JsonObject[];
}

/** What a request is validated against. */
export interface ValidationContext {
  readonly headers: Headers;
  /** Whether a reference may name this tool although the request does not declare it. */
  isKnown(name: string): boolean;
}

/** An error for the client. */
export interface ErrorFacts {
  /** In the terms of the Messages API: `rate_limit_error`. */
  readonly type: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** What a host of OpenAI's dialects calls this type: its clients know that name. */
  readonly hostType?: string | undefined;
  /** OpenAI's name for the error. */
  readonly code?: string | undefined;
  /** The part of the request that is rejected. */
  readonly param?: string | undefined;
}

/** The usage of a response, as far as its protocol reports it. */
export interface UsageFacts {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly searches?: number;
}

/** The definitions that decide how a client searches: every search tool, and the first one that is deferred. */
export function findSearchTools(
  definitions: readonly JsonObject[],
  tools: readonly Tool[],
  isSearchTool: (definition: JsonObject) => boolean,
): readonly JsonObject[] {
  const search = definitions.filter(isSearchTool);
  if (!tools.some((tool) => tool.policy === 'always')) return search;
  const marked = definitions.find((one) => one.defer_loading === true && !search.includes(one));
  return marked === undefined ? search : [...search, marked];
}
