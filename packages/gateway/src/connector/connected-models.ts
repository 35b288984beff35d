import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import type { McpConnectorSettings } from '@quartermaster/host/config';
import { createArgumentChecker } from '@quartermaster/host/schema';
import type { DialectName } from '@quartermaster/host/upstream';
import {
  type AnthropicEvent,
  type AnthropicRequest,
  type AnthropicResponse,
  anthropicWhole,
} from '@quartermaster/wires/anthropic';
import type { MemoryBudget } from '../catalogs/index.ts';
import {
  type HeldModels,
  isLeftToConnector,
  type ModelQuestion,
  type ModelService,
  type OpenExchange,
} from '../exchange/index.ts';
import { ApiError } from '../http/index.ts';
import type { Upstreams } from '../upstreams.ts';
import { readAddressRules } from './address-rules.ts';
import { type ConnectedServers, connectServers, type ServerCall } from './connected-servers.ts';
import { type ConnectorRequest, readConnectorRequest } from './connector-request.ts';
import { type ConnectorTools, makeConnectorTools, readListing, writeListing } from './connector-tools.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createListingCache } from './listing-cache.ts';
import { renderHistory } from './render-history.ts';
import { CUT_REASONS, runConnector } from './run-connector.ts';
import { createServerPool, type ServerPool } from './server-pool.ts';

export interface ConnectedModels extends ModelService {
  /** For several questions of one exchange: a server that they name is connected to once. An aborted signal ends its connections at once. */
  hold(signal: AbortSignal): HeldModels;
  close(): void;
}

export interface ConnectedModelsOptions {
  /** Answers requests that know nothing of MCP servers. */
  readonly models: ModelService;
  readonly upstreams: Upstreams;
  readonly settings: McpConnectorSettings;
  readonly maxRounds: number;
  readonly now: () => number;
  /** Where listings of servers are kept for a moment. */
  readonly memory: MemoryBudget;
  /** Told of every call to a server. */
  onCall(call: ServerCall): void;
}

type Question = ModelQuestion<'anthropic'>;

/**
 * The MCP connector: servers that a request names are connected to, their tools put among its own, and their calls made inside
 * the response. Everything else goes to the models as it is.
 */
export function createConnectedModels(options: ConnectedModelsOptions): ConnectedModels {
  const { models, upstreams, settings, maxRounds, now, onCall, memory } = options;
  const rules = readAddressRules(settings.allow);
  const guarded = createGuardedFetch({ rules });
  const listings = createListingCache({ now, memory });
  const checkArguments = createArgumentChecker({ repair: true });
  const createPool = (signal: AbortSignal): ServerPool =>
    createServerPool({ settings, fetch: guarded.fetch, listings, signal });

  /** Undefined where the request is none of ours. */
  async function connect(question: Question, poolFor: PoolFor): Promise<Connected | undefined> {
    const request = readBody(question.bytes);
    if (request === undefined) return undefined;
    const model = String(request.model);
    if (!question.access.mayUseModel(model)) return undefined;
    const upstream = await upstreams.resolve(model);
    if (upstream === undefined || (upstream.mcpConnector ?? upstream.toolSearch) === 'upstream') return undefined;
    const asked = readConnectorRequest(request as unknown as JsonObject, question.headers);
    if (asked === undefined) return undefined;
    if (!settings.enabled && asked.servers.length > 0) {
      throw new ApiError(400, 'mcp_servers: this gateway does not connect to servers that requests name');
    }
    const { owner } = question.access;
    const pool = poolFor(question);
    try {
      const parts = { owner, settings, rules, pool, checkArguments, now, onCall };
      const servers = connectServers({ servers: asked.servers, ...parts });
      return { request, pool, servers, ...(await gatherTools(request, asked, servers)) };
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  async function openConnected(question: Question, connected: Connected): Promise<OpenExchange<'anthropic'>> {
    const { request, pool, servers, tools, opening } = connected;
    const rounds = question.maxRounds ?? maxRounds;
    const open = (next: AnthropicRequest) => models.open(plainQuestion(question, connected, next));
    const first = await open(request);
    const run = (
      signal: AbortSignal,
      read: (exchange: OpenExchange<'anthropic'>) => AsyncIterable<AnthropicEvent>,
    ): AsyncGenerator<AnthropicEvent> =>
      closing(
        runConnector({
          ...{ request, opening: isListingWanted(question) ? opening : [], maxRounds: rounds },
          first: read(first),
          next: async (next) => read(await open(next)),
          resolve: tools.resolve,
          call: (tool, input) => servers.call(tool, input, signal),
        }),
        { pool, signal },
      );
    return {
      ...{ model: first.model, upstream: first.upstream, isStream: first.isStream },
      ...{ isFromCatalog: first.isFromCatalog, hidesUsage: first.hidesUsage },
      stream: (signal) => run(signal, (exchange) => iterate(exchange.stream(signal))),
      async whole(signal) {
        const parts: AnthropicEvent[] = [];
        for await (const part of run(signal, (exchange) => apart(() => exchange.whole(signal), tools)))
          parts.push(part);
        return anthropicWhole.together(parts);
      },
    };
  }

  const serve = (poolFor: PoolFor): ModelService => ({
    async open<Name extends DialectName>(question: ModelQuestion<Name>): Promise<OpenExchange<Name>> {
      try {
        return await models.open(question);
      } catch (error) {
        if (!isLeftToConnector(error) || !isAnthropic(question)) throw error;
      }
      const connected = await connect(question, poolFor);
      if (connected === undefined) return models.open({ ...question, leavesServers: true });
      try {
        return (await openConnected(question, connected)) as unknown as OpenExchange<Name>;
      } catch (error) {
        await connected.pool.close();
        throw error;
      }
    },
    async countTokens(question) {
      try {
        return await models.countTokens(question);
      } catch (error) {
        if (!isLeftToConnector(error)) throw error;
      }
      const connected = await connect(question, poolFor);
      if (connected === undefined) return models.countTokens({ ...question, leavesServers: true });
      void connected.pool.close();
      return models.countTokens(plainQuestion(question, connected, connected.request));
    },
  });

  return {
    ...serve(({ signal }) => createPool(signal)),
    hold(signal) {
      const pool = createPool(signal);
      // A response ends, and the connections stay for the next.
      const kept: ServerPool = { ...pool, close: async () => undefined };
      return { ...serve(() => kept), close: pool.close };
    },
    close: () => guarded.close(),
  };
}

/** Where the connections of a question are: closed after it, or kept. */
type PoolFor = (question: Question) => ServerPool;

interface Connected {
  readonly request: AnthropicRequest;
  readonly pool: ServerPool;
  readonly servers: ConnectedServers;
  readonly tools: ConnectorTools;
  /** Servers of which some tools can't be used. */
  readonly unavailable: readonly Unavailable[];
  /** What was listed anew. */
  readonly opening: readonly { readonly type: 'mcp_tool_listing'; readonly [field: string]: unknown }[];
}

function isAnthropic(question: ModelQuestion<DialectName>): question is Question {
  return question.dialect.name === 'anthropic';
}

/** Undefined where it is not even a request: whoever answers it says what is wrong. */
function readBody(bytes: Buffer): AnthropicRequest | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isJsonObject(value) || typeof value.model !== 'string' || !Array.isArray(value.messages)) return undefined;
    return value.messages.every(isJsonObject) ? (value as unknown as AnthropicRequest) : undefined;
  } catch {
    return undefined;
  }
}

async function gatherTools(
  request: AnthropicRequest,
  { toolsets }: ConnectorRequest,
  servers: ConnectedServers,
): Promise<Pick<Connected, 'tools' | 'unavailable' | 'opening'>> {
  const gathered = await Promise.all(
    toolsets.map(async (toolset) => {
      const { server, listing } = toolset;
      if (listing !== undefined) return { toolset, tools: readListing(server, listing), unavailable: [] };
      return { toolset, ...(await servers.list(server)) };
    }),
  );
  const listed = gathered.filter(({ toolset }) => toolset.listing === undefined);
  return {
    tools: makeConnectorTools(Array.isArray(request.tools) ? request.tools : [], gathered),
    unavailable: gathered.flatMap(({ unavailable }) => unavailable),
    opening: listed.map(({ toolset, tools }) => ({
      type: 'mcp_tool_listing' as const,
      mcp_server_name: toolset.server,
      tools: writeListing(tools),
    })),
  };
}

/** Clients of the revision that has this block send it back, and others would not know it. */
function isListingWanted({ headers }: Question): boolean {
  return headers.get('anthropic-beta')?.includes('mcp-client-2026-09-15') === true;
}

/** The question as one that knows nothing of servers, but for those that lack tools: its searches tell of them. */
function plainQuestion(question: Question, { tools, unavailable }: Connected, request: AnthropicRequest): Question {
  return { ...question, bytes: plainBytes(request, tools), unavailable };
}

/** The request as if its servers' tools were the client's own. */
function plainBytes(request: AnthropicRequest, tools: ConnectorTools): Buffer {
  const { mcp_servers: _, tools: __, ...rest } = request;
  const { definitions } = tools;
  const messages = renderHistory(request.messages, tools);
  return Buffer.from(
    JSON.stringify({ ...rest, messages, ...(definitions.length === 0 ? {} : { tools: definitions }) }),
  );
}

/** A stream that is given up may abort by itself, while the question's own client is still there. */
async function* closing(
  events: AsyncGenerator<AnthropicEvent>,
  { pool, signal }: { readonly pool: ServerPool; readonly signal: AbortSignal },
): AsyncGenerator<AnthropicEvent, void, undefined> {
  const onAbort = (): void => void pool.close();
  signal.addEventListener('abort', onAbort);
  try {
    yield* events;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not waited for: the client has its answer, and a server may take its time to hear that its session has ended.
    void pool.close();
  }
}

/** A whole message does not tell a call that was cut from one without arguments: in a message that was cut, it is the last one. */
async function* apart(
  ask: () => Promise<AnthropicResponse>,
  { resolve }: ConnectorTools,
): AsyncGenerator<AnthropicEvent, void, undefined> {
  const response = await ask();
  const { content, stop_reason: reason } = response;
  const last = content.at(-1);
  const isCut = CUT_REASONS.has(reason ?? '') && last?.type === 'tool_use' && resolve(String(last.name)) !== undefined;
  yield* anthropicWhole.apart(isCut ? { ...response, content: content.slice(0, -1) } : response);
}

function iterate(iterator: AsyncIterator<AnthropicEvent>): AsyncIterable<AnthropicEvent> {
  return { [Symbol.asyncIterator]: () => iterator };
}
