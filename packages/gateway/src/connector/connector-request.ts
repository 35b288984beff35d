import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { isToolset } from '@quartermaster/wires/anthropic';
import { ApiError } from '../http/index.ts';

/** A server that a request names. */
export interface RequestedServer {
  readonly name: string;
  readonly url: URL;
  /** Sent to this server and nowhere else: not to logs, the store or errors. */
  readonly token?: string;
}

/** Which tools of a server a request wants, and how. */
export interface Toolset {
  readonly server: string;
  /** Its index among the request's tools; undefined if it is implied, as in the first version of this API. */
  readonly at: number | undefined;
  isEnabled(tool: string): boolean;
  isDeferred(tool: string): boolean;
  /** The server's listing as the client knows it: then the server is not asked. */
  readonly listing: readonly JsonObject[] | undefined;
  readonly cacheControl?: Json;
}

export interface ConnectorRequest {
  readonly servers: readonly RequestedServer[];
  readonly toolsets: readonly Toolset[];
}

/** How many servers one request may name. */
const MOST_SERVERS = 20;

/** What a request says about MCP servers. Throws what the API would reject; undefined if nothing in it concerns them. */
export function readConnectorRequest(request: JsonObject, headers: Headers): ConnectorRequest | undefined {
  const tools = Array.isArray(request.tools) ? request.tools : [];
  const hasToolset = tools.some(isToolset);
  const hasServers = request.mcp_servers !== undefined && request.mcp_servers !== null;
  if (!hasServers && !hasToolset && !blocksIn(request).some(isMcpBlock)) return undefined;
  const entries = readServers(request.mcp_servers ?? []);
  const listings = listingsIn(request);
  const toolsets = tools.flatMap((tool, at) => (isToolset(tool) ? [readToolset(tool, at, listings)] : []));
  const servers = entries.map(({ server }) => server);
  checkPairs(servers, toolsets);
  const missing = entries.filter(({ server }) => !toolsets.some((toolset) => toolset.server === server.name));
  const [first] = missing;
  if (first !== undefined && !isFirstForm(headers, entries)) {
    throw new ApiError(
      400,
      `mcp_servers.${entries.indexOf(first)}: MCP server '${first.server.name}' is not referenced by any mcp_toolset in tools`,
    );
  }
  const implied = missing.map(({ server, configuration }) => impliedToolset(server.name, configuration, listings));
  return { servers, toolsets: [...toolsets, ...implied] };
}

interface ServerEntry {
  readonly server: RequestedServer;
  /** From the first version of this API, which had no toolsets. */
  readonly configuration: JsonObject | undefined;
}

function readServers(value: Json): readonly ServerEntry[] {
  if (!Array.isArray(value)) throw new ApiError(400, 'mcp_servers: Input should be a valid list');
  if (value.length > MOST_SERVERS) throw new ApiError(400, `mcp_servers: at most ${MOST_SERVERS} servers are allowed`);
  const seen = new Set<string>();
  return value.map((entry: unknown, index) => {
    const at = `mcp_servers.${index}`;
    if (!isJsonObject(entry)) throw new ApiError(400, `${at}: Input should be an object`);
    const { type, name, url, authorization_token: token, tool_configuration: configuration } = entry;
    if (type !== 'url') throw new ApiError(400, `${at}.type: Input should be 'url'`);
    if (typeof name !== 'string' || name === '' || name.length > 128) {
      throw new ApiError(400, `${at}.name: Input should be a string of 1 to 128 characters`);
    }
    if (seen.has(name)) throw new ApiError(400, `${at}.name: MCP server names must be unique, '${name}' is repeated`);
    seen.add(name);
    if (typeof url !== 'string' || !URL.canParse(url))
      throw new ApiError(400, `${at}.url: Input should be a valid URL`);
    if (token !== undefined && token !== null && !isToken(token)) {
      throw new ApiError(400, `${at}.authorization_token: Input should be a string that is valid in a header`);
    }
    return {
      server: { name, url: new URL(url), ...(typeof token === 'string' && token !== '' ? { token } : {}) },
      configuration: isJsonObject(configuration) ? configuration : undefined,
    };
  });
}

/** Printable characters: others could end the header that contains it. */
function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x20-\x7e]{0,8192}$/.test(token);
}

function readToolset(tool: JsonObject, at: number, listings: ReadonlyMap<string, readonly JsonObject[]>): Toolset {
  const { mcp_server_name: server, default_config: defaults, configs, cache_control: cacheControl } = tool;
  if (typeof server !== 'string') throw new ApiError(400, `tools.${at}.mcp_server_name: Field required`);
  const given = isJsonObject(configs) ? configs : {};
  const setting = (name: string, field: 'enabled' | 'defer_loading', otherwise: boolean): boolean => {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    for (const config of [own, defaults]) {
      const value = isJsonObject(config) ? config[field] : undefined;
      if (typeof value === 'boolean') return value;
    }
    return otherwise;
  };
  return {
    ...{ server, at },
    isEnabled: (name) => setting(name, 'enabled', true),
    isDeferred: (name) => setting(name, 'defer_loading', false),
    listing: Array.isArray(tool.tools) ? tool.tools.filter(isJsonObject) : listings.get(server),
    ...(isJsonObject(cacheControl) ? { cacheControl } : {}),
  };
}

function impliedToolset(
  server: string,
  configuration: JsonObject | undefined,
  listings: ReadonlyMap<string, readonly JsonObject[]>,
): Toolset {
  const allowed = configuration?.allowed_tools;
  return {
    ...{ server, at: undefined, listing: listings.get(server) },
    isEnabled: (name) => configuration?.enabled !== false && (!Array.isArray(allowed) || allowed.includes(name)),
    isDeferred: () => false,
  };
}

function checkPairs(servers: readonly RequestedServer[], toolsets: readonly Toolset[]): void {
  const seen = new Set<string>();
  for (const { server, at } of toolsets) {
    const name = server.slice(0, 128);
    if (!servers.some((one) => one.name === server)) {
      throw new ApiError(400, `tools.${at}: mcp_server_name '${name}' has no corresponding server in mcp_servers`);
    }
    if (seen.has(server)) {
      throw new ApiError(400, `tools.${at}: MCP server '${name}' is referenced by more than one mcp_toolset`);
    }
    seen.add(server);
  }
}

/** The first version of the connector had no toolsets: all tools of a server were available. */
function isFirstForm(headers: Headers, entries: readonly ServerEntry[]): boolean {
  const betas = headers.get('anthropic-beta') ?? '';
  const isOldBeta = betas.includes('mcp-client-2025-04-04') && !/mcp-client-(?:2025-11|2026)/.test(betas);
  return isOldBeta || entries.some(({ configuration }) => configuration !== undefined);
}

/** What earlier responses said about each server's tools; the latest counts. */
function listingsIn(request: JsonObject): ReadonlyMap<string, readonly JsonObject[]> {
  const listings = new Map<string, readonly JsonObject[]>();
  for (const { type, mcp_server_name: server, tools } of blocksIn(request)) {
    if (type !== 'mcp_tool_listing' || typeof server !== 'string' || !Array.isArray(tools)) continue;
    listings.set(server, tools.filter(isJsonObject));
  }
  return listings;
}

function blocksIn({ messages }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) =>
    isJsonObject(message) && Array.isArray(message.content) ? message.content.filter(isJsonObject) : [],
  );
}

function isMcpBlock({ type }: JsonObject): boolean {
  return type === 'mcp_tool_use' || type === 'mcp_tool_result' || type === 'mcp_tool_listing';
}
