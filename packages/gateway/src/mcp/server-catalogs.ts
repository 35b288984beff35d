import { createSnapshot, type Snapshot, type Tool } from '@quartermaster/core';
import { writeTool } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import { type Clock, memoized, once } from '@quartermaster/core/internal';
import {
  type CompiledPermissions,
  compilePermissions,
  createServerStart,
  type Hub,
  type Permissions,
} from '@quartermaster/mcp';
import { digest } from '../catalogs/index.ts';
import { ApiError } from '../http/index.ts';

/** The catalog with the tools of every configured server: it has the name of the settings' block. */
export const ALL_SERVERS = 'mcpServers';

/** The tools of one configured server, or of all of them, at one moment. */
export interface ServerCatalog {
  readonly name: string;
  readonly hash: string;
  readonly tools: readonly Tool[];
  /** About how long the definitions are as text. */
  readonly bytes: number;
  /** When these tools were first seen here, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** The definitions in a request's format. */
  definitions(): readonly unknown[];
  /** Its servers that can't be reached now. */
  unavailable(): readonly Unavailable[];
}

/** Configured MCP servers as named catalogs: only the servers themselves change them. */
export interface ServerCatalogs {
  has(name: string): boolean;
  /** In the order of the settings, the catalog of all servers last. */
  names(): readonly string[];
  /**
   * The catalog, limited to the tools that a key may use if that is decided tool by tool. Waits for servers that are starting.
   * Throws if nothing is known about the tools and no server responds.
   */
  load(name: string, tools?: Permissions): Promise<ServerCatalog>;
}

export function createServerCatalogs(options: { readonly hub: Hub; readonly clock: Clock }): ServerCatalogs {
  const { hub, clock } = options;
  const start = createServerStart(hub, clock);
  const servers = new Set(hub.servers().map(({ name }) => name));
  const names = servers.size === 0 ? [] : [...new Set([...servers, ALL_SERVERS])];
  const kept = new Map<string, { readonly snapshot: Snapshot; readonly catalog: ServerCatalog }>();

  function catalogNow(name: string): ServerCatalog {
    const snapshot = hub.snapshot();
    const before = kept.get(name);
    if (before?.snapshot === snapshot) return before.catalog;
    const tools = name === ALL_SERVERS ? snapshot.tools : snapshot.tools.filter((tool) => tool.server === name);
    const made = makeCatalog({ name, tools, hub, now: clock.now() });
    // Another server has changed: this one's tools are as old as they were.
    const catalog = before?.catalog.hash === made.hash ? before.catalog : made;
    kept.set(name, { snapshot, catalog });
    return catalog;
  }

  /** Created once: keys are many, and often share their permissions. */
  const restricted = memoized(({ name, tools, updatedAt }: ServerCatalog) =>
    memoized(({ allowsTool }: CompiledPermissions) =>
      makeCatalog({ name, tools: tools.filter(allowsTool), hub, now: updatedAt }),
    ),
  );

  return {
    has: (name) => names.includes(name),
    names: () => names,
    async load(name, tools) {
      // One that hangs delays no request for another.
      if (name === ALL_SERVERS) await start.wait(ALL_TIMEOUT_MS);
      else await Promise.race([hub.started(name), start.wait(START_TIMEOUT_MS)]);
      const catalog = catalogNow(name);
      const [down] = catalog.unavailable();
      if (catalog.tools.length > 0 || down === undefined)
        return tools === undefined ? catalog : restricted(catalog)(compilePermissions(tools));
      throw new ApiError(502, `Catalog '${name}' can't be read now: server '${down.server}': ${down.reason}`);
    },
  };
}

/** How long a request waits for the server that it names, if that starts for the first time. */
const START_TIMEOUT_MS = 10_000;
/** For the catalog of all servers, whose searches name those that are missing. */
const ALL_TIMEOUT_MS = 2_000;

function makeCatalog(parts: {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly hub: Hub;
  readonly now: number;
}): ServerCatalog {
  const { name, tools, hub, now } = parts;
  const snapshot = createSnapshot(tools, { digest, maxTools: tools.length });
  return {
    ...{ name, tools },
    definitions: once(() => tools.map((tool) => writeTool(tool, 'anthropic', { name: snapshot.modelName(tool) }))),
    hash: hashOf(snapshot),
    bytes: tools.reduce((sum, tool) => sum + tool.description.length + JSON.stringify(tool.schema).length + 100, 0),
    updatedAt: now,
    unavailable: () => hub.unavailable().filter(({ server }) => name === ALL_SERVERS || server === name),
  };
}

/** The same definitions with other policies are another catalog: other tools are deferred. */
function hashOf({ hash, tools }: Snapshot): string {
  if (tools.every(({ policy }) => policy === 'automatic')) return hash;
  return digest([hash, ...tools.map(({ policy }) => ` ${policy}`)]);
}
