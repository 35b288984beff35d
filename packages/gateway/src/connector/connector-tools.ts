import { createSnapshot, parseTools, type Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject, NAME_TEMPLATES, toolId, writeTool } from '@quartermaster/core/catalog';
import type { NamedServers, ServerTool } from '@quartermaster/wires/dialect';
import { ApiError } from '../http/index.ts';
import type { Toolset } from './connector-request.ts';

/** The tools that a request gets from its servers. */
export interface ConnectorTools extends Pick<NamedServers, 'servers' | 'tools'> {
  /** The request's definitions with each toolset replaced by its tools. */
  readonly definitions: readonly unknown[];
  get(tool: ServerTool): Tool | undefined;
}

/** Names as in the API: the server's, an underscore, the tool's. The limit of providers is 64 characters. */
const NAMES = { nameTemplate: NAME_TEMPLATES.connector, maxNameLength: 64 };

export function makeConnectorTools(
  definitions: readonly unknown[],
  toolsets: readonly { readonly toolset: Toolset; readonly tools: readonly Tool[] }[],
): ConnectorTools {
  const enabled = toolsets.map(({ toolset, tools }) => ({
    toolset,
    tools: tools.filter(({ name }) => toolset.isEnabled(name)),
  }));
  const snapshot = createSnapshot(
    enabled.flatMap(({ tools }) => tools),
    // Each server's list has its own limit.
    { ...NAMES, onDuplicate: 'first', maxTools: Number.POSITIVE_INFINITY },
  );
  const written = enabled.map(({ toolset, tools }) => ({
    at: toolset.at,
    tools: writeToolset(toolset, tools, (tool) => snapshot.modelName(tool)),
  }));
  const placed = new Map(written.map(({ at, tools }) => [at, tools]));
  const all = [
    ...definitions.flatMap((definition, at): readonly unknown[] => placed.get(at) ?? [definition]),
    ...written.flatMap(({ at, tools }) => (at === undefined ? tools : [])),
  ];
  checkNames(all);
  return {
    definitions: all,
    servers: toolsets.map(({ toolset }) => toolset.server),
    tools: snapshot.tools.map((tool) => ({
      ...{ server: tool.server ?? '', name: tool.name },
      modelName: snapshot.modelName(tool),
    })),
    get: ({ server, name }) => snapshot.get(toolId(server, name)),
  };
}

/** A listing in the clients' format. What can't be read is left out, as with the server itself. */
export function readListing(server: string, listing: readonly JsonObject[]): readonly Tool[] {
  const definitions = listing.map(({ name, description, input_schema: inputSchema }) => ({
    ...{ name, inputSchema },
    ...(typeof description === 'string' ? { description } : {}),
  }));
  return parseTools(definitions, { format: 'mcp', server }).tools;
}

/** The same, for a client to keep. */
export function writeListing(tools: readonly Tool[]): readonly JsonObject[] {
  return tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
}

function writeToolset(
  { isDeferred, cacheControl }: Toolset,
  tools: readonly Tool[],
  nameOf: (tool: Tool) => string,
): readonly JsonObject[] {
  const written = tools.map((tool) =>
    writeTool({ ...tool, policy: 'never' }, 'anthropic', { name: nameOf(tool), deferred: isDeferred(tool.name) }),
  );
  // A cache breakpoint is not allowed on a deferred tool, which is not part of the cached prefix.
  const last = written.findLastIndex((definition) => definition.defer_loading !== true);
  if (cacheControl === undefined) return written;
  return written.map((definition, at) => (at === last ? { ...definition, cache_control: cacheControl } : definition));
}

function checkNames(definitions: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const definition of definitions) {
    const name = isJsonObject(definition) ? definition.name : undefined;
    if (typeof name !== 'string') continue;
    if (seen.has(name)) {
      throw new ApiError(400, `tools: Tool names must be unique; '${name.slice(0, 128)}' is an MCP server's tool too`, {
        details: { error_code: 'tool_name_conflict' },
      });
    }
    seen.add(name);
  }
}
