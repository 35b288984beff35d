import type { ToolOutcome } from '@quartermaster/core';
import type { Json, JsonObject } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import type { DialectName, DialectOf, PartOf, ResponseOf, UpstreamClient } from '@quartermaster/host/upstream';
import type { NamedServers, ServerTool } from '@quartermaster/wires/dialect';
import type { Access } from '../access/index.ts';
import type { ReadBody, ToolList } from '../catalogs/index.ts';
import type { MemoryShare } from '../http/index.ts';

/** A request to a model as received. */
export interface ModelQuestion<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  /** For events: everything that happens while it is answered is collected under this id. @default no events */
  readonly requestId?: string | undefined;
  /** The body. */
  readonly bytes: Buffer;
  readonly headers: Headers;
  readonly access: Access;
  readonly signal: AbortSignal;
  /** Where the memory of its stored history is counted. @default it is not */
  readonly memory?: MemoryShare | undefined;
  /** The body as it was read, and perhaps changed, before. @default `bytes`, parsed */
  readonly body?: ReadBody;
  /** Who calls the MCP servers that the request names: its host, or this gateway. @default not decided: such a request is returned */
  readonly servers?: 'host' | ServerTools;
  /** Servers of which some tools are missing in the request, for the answers to searches. @default none */
  readonly unavailable?: readonly Unavailable[];
  /** How many times the model is called for the response, at least 1; then it pauses. @default the service's setting */
  readonly maxRounds?: number;
  /** For events: how many times a model was already called for the same response. @default 0 */
  readonly roundsBefore?: number;
  /** Called for each answer of the upstream. */
  readonly onResponse?: UpstreamClient['onResponse'] | undefined;
}

/** The MCP servers that a request names, which are called within the response. */
export interface ServerTools extends NamedServers {
  call(tool: ServerTool, input: JsonObject, signal: AbortSignal): Promise<ToolOutcome>;
}

/** The request names MCP servers, and it was not decided who calls them. */
export interface NamesServers {
  readonly kind: 'names-servers';
  /** The body, if it was parsed on this thread. */
  readonly value?: JsonObject;
}

/** A request that was read, checked and planned. One of its two methods is called, once. */
export interface OpenExchange<Name extends DialectName> {
  readonly kind: 'exchange';
  readonly model: string;
  /** For metrics and logs. */
  readonly upstream: string;
  /** Which of the two the client asked for. */
  readonly isStream: boolean;
  /** Which tool a name in the response means. */
  identify: ToolList['identify'];
  /** Whether parts with nothing but usage are for us only, because the client has not asked for them. */
  readonly hidesUsage: boolean;
  /** About how many tokens the model reads in each round, for responses that don't report it. */
  readonly inputTokens: number;
  stream(signal: AbortSignal): AsyncIterator<PartOf<Name>>;
  whole(signal: AbortSignal): Promise<ResponseOf<Name>>;
  /** Set once a whole response has paused at the round limit: how its request continues. Only for requests with messages. */
  continuation(): Continuation | undefined;
}

/** How a client's request continues after a pause: it includes hidden calls and their answers. */
export interface Continuation {
  /** What follows its messages. */
  readonly messages: readonly Json[];
  /** What else changes: the remaining tokens, and a fulfilled tool choice. */
  readonly fields: JsonObject;
}

/** Answers requests to models: permissions, checks, tools, upstream, plan, loop. The same for every dialect, streaming, whole or in a batch. */
export interface Models<Unanswered, Known extends readonly unknown[] = []> {
  /** Throws the client's error. */
  open<Name extends DialectName>(
    question: ModelQuestion<Name>,
    ...known: Known
  ): Promise<OpenExchange<Name> | Unanswered>;
  /** How many tokens the model would read. Deferred tools don't count until they are referenced. */
  countTokens(question: ModelQuestion<'anthropic'>, ...known: Known): Promise<number | Unanswered>;
}

/** Answers every request. */
export type ModelService = Models<never>;

/** The same without the MCP connector: a request that names servers is returned, unless it was decided who calls them. */
export type PlainModelService = Models<NamesServers>;

/** The same on another thread. Undefined for a request that this thread has to answer. */
export type RemoteModelService = Models<NamesServers | undefined>;

/** Answers requests that name MCP servers, which it connects to. */
export interface Connector extends Models<never, [named: NamesServers]> {
  /** For several questions of one exchange: each server that they name is connected once, until `close` or the signal. */
  hold(signal: AbortSignal): Connector;
  close(): Promise<void>;
}

/** Keeps the connections to MCP servers from one question to the next, such as the next round of a batch item. */
export interface HeldModels extends ModelService {
  /** Called after the last answer, however it ended. */
  close(): Promise<void>;
}
