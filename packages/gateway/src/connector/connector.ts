import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import { tryParseJson } from '@quartermaster/core/internal';
import { createArgumentChecker } from '@quartermaster/host/schema';
import type { DialectName } from '@quartermaster/host/upstream';
import type { AnthropicRequest } from '@quartermaster/wires/anthropic';
import { type MemoryBudget, readKnownBody } from '../catalogs/index.ts';
import type { Upstreams } from '../configured-upstreams.ts';
import {
  type Connector,
  endingIterator,
  type ModelQuestion,
  type NamesServers,
  type OpenExchange,
  type PlainModelService,
  type ServerTools,
} from '../exchange/index.ts';
import { ApiError, refuseManyValues } from '../http/index.ts';
import { readAddressRules } from './address-rules.ts';
import { type CallOptions, type ConnectedServers, connectServers } from './connected-servers.ts';
import { type ConnectorRequest, readConnectorRequest } from './connector-request.ts';
import { type ConnectorTools, makeConnectorTools, readListing, writeListing } from './connector-tools.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createListingCache, createServerPool, type ServerPool } from './server-pool.ts';

type Question = ModelQuestion<'anthropic'>;

/**
 * The MCP connector: connects to the servers that a request names, adds their tools to its own, and lets the loop make their calls
 * within the response.
 */
export function createConnector({
  models,
  upstreams,
  memory,
  ...options
}: CallOptions & {
  /** Answers the requests once their servers are connected. */
  readonly models: PlainModelService;
  readonly upstreams: Upstreams;
  /** Where listings of servers are cached. */
  readonly memory: MemoryBudget;
}): Connector {
  const { settings, now } = options;
  const rules = readAddressRules(settings.allow);
  const guarded = createGuardedFetch({ rules });
  const listings = createListingCache(now, memory);
  const checkArguments = createArgumentChecker({ repair: true });
  const createPool = (signal: AbortSignal): ServerPool =>
    createServerPool({ settings, fetch: guarded.fetch, listings, signal });

  /** The question with its servers connected, or left to its host. */
  async function connect(question: Question, { value }: NamesServers, poolFor: PoolFor): Promise<Connected> {
    // A body that another thread has parsed is parsed here again.
    if (value === undefined) refuseManyValues(question.bytes, 'A request that names MCP servers');
    const request = readRequest(value ?? tryParseJson(question.bytes.toString('utf8')));
    const left: Connected = { question: { ...question, servers: 'host' } };
    if (request === undefined || !question.access.mayUseModel(String(request.model))) return left;
    const upstream = await upstreams.resolve(String(request.model));
    if (upstream === undefined || (upstream.mcpConnector ?? upstream.toolSearch) === 'upstream') return left;
    const asked = readConnectorRequest(request as unknown as JsonObject, question.headers);
    if (asked === undefined) return left;
    if (!settings.enabled && asked.servers.length > 0) {
      throw new ApiError(400, 'mcp_servers: this gateway does not connect to servers that requests name');
    }
    const { owner } = question.access;
    const pool = poolFor(question);
    try {
      const servers = connectServers({
        ...options,
        ...{ servers: asked.servers, owner, requestId: question.requestId, rules, pool, checkArguments },
      });
      const { tools, unavailable, opening } = await gatherTools(request, asked, servers);
      const { mcp_servers: _, tools: __, ...rest } = request;
      const { definitions } = tools;
      const body = readKnownBody({
        ...rest,
        ...(definitions.length === 0 ? {} : { tools: definitions }),
      } as JsonObject);
      const shown = isListingWanted(question) ? opening : [];
      const called = serverTools(tools, servers, shown);
      return { question: { ...question, body, unavailable, servers: called }, pool };
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  async function openConnected({ question, pool }: Connected): Promise<OpenExchange<'anthropic'>> {
    try {
      const exchange = decided(await models.open(question));
      return pool === undefined ? exchange : closing(exchange, pool);
    } catch (error) {
      await pool?.close();
      throw error;
    }
  }

  const connecting = (poolFor: PoolFor): Pick<Connector, 'open' | 'countTokens'> => ({
    async open<Name extends DialectName>(question: ModelQuestion<Name>, named: NamesServers) {
      // Only the Messages API can name servers.
      const connected = await connect(question as unknown as Question, named, poolFor);
      return (await openConnected(connected)) as unknown as OpenExchange<Name>;
    },
    async countTokens(question, named) {
      const { question: next, pool } = await connect(question, named, poolFor);
      void pool?.close();
      return decided(await models.countTokens(next));
    },
  });

  function hold(signal: AbortSignal): Connector {
    const pool = createPool(signal);
    // A response ends, and the connections stay for the next one.
    const kept: ServerPool = { ...pool, close: async () => undefined };
    return { ...connecting(() => kept), hold, close: pool.close };
  }

  return {
    ...connecting(({ signal }) => createPool(signal)),
    hold,
    close: async () => guarded.close(),
  };
}

/** The question's connections: closed after it, or kept. */
type PoolFor = (question: Question) => ServerPool;

interface Connected {
  readonly question: Question;
  /** Absent if the host calls the servers. */
  readonly pool?: ServerPool;
}

/** It has been decided who calls the servers, so the request can't come back. */
function decided<Answer>(answer: Answer | NamesServers): Answer {
  if (typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'names-servers') {
    throw new Error('A request came back though its servers are connected');
  }
  return answer as Answer;
}

/** Undefined if it is not even a request: the models report what is wrong. */
function readRequest(value: unknown): AnthropicRequest | undefined {
  if (!isJsonObject(value) || typeof value.model !== 'string' || !Array.isArray(value.messages)) return undefined;
  return value.messages.every(isJsonObject) ? (value as unknown as AnthropicRequest) : undefined;
}

interface Gathered {
  readonly tools: ConnectorTools;
  /** Servers of which some tools can't be used. */
  readonly unavailable: readonly Unavailable[];
  /** What was listed for this request. */
  readonly opening: readonly JsonObject[];
}

async function gatherTools(
  request: AnthropicRequest,
  { toolsets }: ConnectorRequest,
  servers: ConnectedServers,
): Promise<Gathered> {
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
      type: 'mcp_tool_listing',
      mcp_server_name: toolset.server,
      tools: writeListing(tools),
    })),
  };
}

function serverTools(all: ConnectorTools, connected: ConnectedServers, opening: readonly JsonObject[]): ServerTools {
  const { servers, tools } = all;
  return {
    ...{ servers, tools, opening },
    async call(named, input, signal) {
      const tool = all.get(named);
      if (tool === undefined) return { text: `There is no tool ${named.modelName}`, isError: true };
      const { content, isError } = await connected.call({ tool, modelName: named.modelName, input, signal });
      return { text: content.map(({ text }) => String(text)).join('\n'), value: content, isError };
    },
  };
}

/** Clients of the version that has this block send it back; others would not know it. */
function isListingWanted({ headers }: Question): boolean {
  return headers.get('anthropic-beta')?.includes('mcp-client-2026-09-15') === true;
}

/** The exchange, which closes its connections at its end. An abandoned stream may abort by itself while its client is still there. */
function closing(exchange: OpenExchange<'anthropic'>, pool: ServerPool): OpenExchange<'anthropic'> {
  // Not awaited: the client has its answer, and a server may be slow to end its session.
  const close = (): void => void pool.close();
  return {
    ...exchange,
    stream(signal) {
      signal.addEventListener('abort', close, { once: true });
      return endingIterator(exchange.stream(signal), () => {
        signal.removeEventListener('abort', close);
        close();
      });
    },
    async whole(signal) {
      signal.addEventListener('abort', close, { once: true });
      try {
        return await exchange.whole(signal);
      } finally {
        signal.removeEventListener('abort', close);
        close();
      }
    },
  };
}
