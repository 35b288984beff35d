import type { Tool } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Form, TransportCapabilities } from '@quartermaster/core/disclosure';
import type { Opened, OpenedSearch, Whole, Wire } from '@quartermaster/core/loop';
import type { Dialect, DialectShapes } from '@quartermaster/host/upstream';
import type { UsedUp } from '../access/index.ts';
import type { ApiError } from '../http/index.ts';

/**
 * One dialect as clients speak it: which wire carries it, what it checks, how it writes events and errors. Everything else is the
 * same for all of them.
 */
export interface Surface<Name extends Dialect> {
  readonly dialect: Name;
  readonly wire: Wire<DialectShapes[Name]['request'], DialectShapes[Name]['part']>;
  readonly whole: Whole<DialectShapes[Name]['response'], DialectShapes[Name]['part']>;
  /** The longest name of a tool that the dialect takes. */
  readonly maxNameLength: number;
  /** Whether searches are offered a way to ask for descriptions, which needs a place in the messages. */
  readonly describe: boolean;
  /** Refuses a body that the dialect's own API would refuse. */
  validate(value: JsonObject, context: ValidationContext): DialectShapes[Name]['request'];
  /** The tools that a list of definitions declares, and how its client searches. Tools that say nothing are `automatic`. */
  readTools(definitions: readonly unknown[], request: DialectShapes[Name]['request']): ReadTools;
  /** How this request's client searches; `probe` is all of its tools that can make a difference. */
  openSearch(request: DialectShapes[Name]['request'], probe: readonly JsonObject[]): OpenedSearch | undefined;
  /**
   * Whether the tools of a request stand in `tools` alone. Otherwise they can't be known by that text.
   * @default true
   */
  hasAllTools?(request: DialectShapes[Name]['request']): boolean;
  /**
   * Whether the client may refer to the response later.
   * @default false
   */
  isStored?(request: DialectShapes[Name]['request']): boolean;
  /** How schemas reach a model over this transport. */
  form(can: TransportCapabilities, search: OpenedSearch | undefined): Form;
  /** Whether the host itself runs the search, or expands what the client has found. */
  isServed(search: OpenedSearch | undefined, can: TransportCapabilities): boolean;
  writePart(part: DialectShapes[Name]['part']): string;
  /** Text that ends a stream which ended well. */
  readonly streamEnd: string;
  /** Text that keeps a connection alive and means nothing. */
  readonly ping: string;
  errorBody(error: ApiError, requestId: string): object;
  /** Text that ends a stream which failed. */
  writeError(error: ApiError): string;
  /** The totals of a response as far as this part tells them. A later part's stand. */
  readUsage(part: DialectShapes[Name]['part']): Partial<Omit<UsedUp, 'tools'>> | undefined;
  /**
   * The request with a question for its usage, where its client has not asked: a key's share of tokens could be used up unseen.
   * The parts that answer it are `isUsageOnly`. Undefined where nothing has to be added.
   */
  metered?(request: DialectShapes[Name]['request']): DialectShapes[Name]['request'] | undefined;
  isUsageOnly?(part: DialectShapes[Name]['part']): boolean;
  /** The names of the tools whose calls begin with this part. */
  readCalls(part: DialectShapes[Name]['part']): readonly string[];
}

interface ReadTools extends Pick<Opened, 'tools' | 'search'> {
  /** Definitions by which a request's search can be told, so that thousands of others need not be read again. */
  readonly probe: readonly JsonObject[];
}

interface ValidationContext {
  readonly headers: Headers;
  /** Whether a reference may name this tool though the request does not declare it. */
  isKnown(name: string): boolean;
}

/** The first definition that is deferred, and every search tool, decide how a client searches. */
export function findProbe(
  definitions: readonly unknown[],
  tools: readonly Tool[],
  isSearchTool: (definition: JsonObject) => boolean,
): readonly JsonObject[] {
  const isObject = (one: unknown): one is JsonObject => typeof one === 'object' && one !== null && !Array.isArray(one);
  const objects = definitions.filter(isObject);
  const search = objects.filter(isSearchTool);
  if (!tools.some((tool) => tool.policy === 'always')) return search;
  const marked = objects.find((one) => one.defer_loading === true && !search.includes(one));
  return marked === undefined ? search : [...search, marked];
}
