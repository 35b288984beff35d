import { createHash } from 'node:crypto';
import { createSnapshot, type Snapshot, type Tool } from '@quartermaster/core';
import { type JsonObject, NAME_TEMPLATES, type PolicyRules } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import { SettingError } from '@quartermaster/core/errors';
import { defined, untilAborted } from '@quartermaster/core/internal';
import { createHub, type Hub, type HubOptions, type OAuthClient, SERVER_DEFAULTS } from '@quartermaster/mcp';
import { createDeadline } from '../deadline.ts';
import { hubPolicies } from './hub-policies.ts';
import { isLocal, type McpServerConfig, type ServerSurroundings, toServerSettings } from './server-config.ts';
import { type McpServerStatus, toServerStatus } from './server-status.ts';
import { type SignIn, signInTo } from './sign-in.ts';

export interface ServersStart extends ServerSurroundings {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** When tools may be deferred. */
  readonly policies: PolicyRules;
  /** How much of a server's list is taken. */
  readonly limits?: HubOptions['limits'] | undefined;
  readonly signal: AbortSignal;
  /** Tools that belong to no server. @default none */
  readonly localTools?: readonly Tool[];
  readonly oauth?: { readonly client: OAuthClient; readonly signIn: SignIn } | undefined;
}

/** What `setMcpServers` did. */
export interface McpSetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Why a server that was added can't be used, by name. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The servers of one query. Each has a hub of its own, so that one can come or go without the others. */
export interface AgentServers {
  /** Every tool that can be used now. The same value until something changes. */
  snapshot(): Snapshot;
  call(tool: Tool, arguments_: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  readResource(server: string, uri: string): Promise<JsonObject>;
  unavailable(): readonly Unavailable[];
  status(): readonly McpServerStatus[];
  /** Whether a server is on this machine. */
  isLocal(server: string): boolean;
  set(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  reconnect(server: string): Promise<void>;
  toggle(server: string, enabled: boolean): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  readonly config: McpServerConfig;
  /** Whether a later `set` that leaves it out removes it. */
  readonly isReplaceable: boolean;
  /** Undefined while the server is disabled. */
  hub: Hub | undefined;
}

/**
 * Starts the servers and waits until each has answered or failed. One that takes longer than it may to connect and list is
 * not waited for: it is pending, and its tools can be searched for once they are there.
 */
export async function startServers(start: ServersStart): Promise<AgentServers> {
  const entries = new Map<string, Entry>();
  let kept: { readonly parts: readonly Snapshot[]; readonly snapshot: Snapshot } | undefined;
  const hubs = (): readonly Hub[] => [...entries.values()].flatMap(({ hub }) => hub ?? []);
  const entryOf = (name: string): Entry => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry;
    throw new SettingError('invalid_setting', `There is no MCP server ${JSON.stringify(name)}`, {
      context: { setting: 'mcpServers', value: name },
    });
  };
  const hubOf = (name: string): Hub => {
    const { hub } = entryOf(name);
    if (hub !== undefined) return hub;
    throw new SettingError('invalid_setting', `The MCP server ${JSON.stringify(name)} is disabled: enable it first`, {
      context: { setting: 'mcpServers', value: name },
    });
  };
  const begin = async (names: readonly string[]): Promise<void> => {
    await Promise.all(names.map((name) => beginOne(name, entryOf(name), start)));
  };
  /** Why a server that was just started can't be used; undefined where it can, or may yet. */
  const failureOf = (name: string): string | undefined => {
    const status = statusOf(name, entryOf(name));
    return status.status === 'failed' || status.status === 'needs-auth' ? (status.error ?? status.status) : undefined;
  };

  for (const [name, config] of Object.entries(start.servers)) {
    entries.set(name, { config, isReplaceable: config.type === 'sdk', hub: undefined });
  }
  const close = async (): Promise<void> => {
    await Promise.all(hubs().map((hub) => hub.close()));
  };
  try {
    await begin([...entries.keys()].filter((name) => entryOf(name).config.disabled !== true));
  } catch (error) {
    await close();
    throw error;
  }

  return {
    snapshot() {
      const parts = hubs().map((hub) => hub.snapshot());
      if (kept === undefined || !isSame(kept.parts, parts)) {
        kept = { parts, snapshot: merge(start.localTools ?? [], parts) };
      }
      return kept.snapshot;
    },
    call: (tool, arguments_, signal) => hubOf(tool.server ?? '').call({ tool, arguments: arguments_, signal }),
    readResource: async (server, uri) => hubOf(server).request({ server, method: 'resources/read', params: { uri } }),
    unavailable: () => hubs().flatMap((hub) => hub.unavailable()),
    status: () => [...entries].map(([name, entry]) => statusOf(name, entry)),
    isLocal: (server) => isLocal(entries.get(server)?.config),
    async set(servers) {
      const leaving = [...entries].filter(
        ([name, { isReplaceable, config }]) =>
          servers[name] !== config && (isReplaceable || Object.hasOwn(servers, name)),
      );
      const coming = Object.entries(servers).filter(([name, config]) => entries.get(name)?.config !== config);
      for (const [name, { hub }] of leaving) {
        entries.delete(name);
        await hub?.close();
      }
      for (const [name, config] of coming) entries.set(name, { config, isReplaceable: true, hub: undefined });
      await begin(coming.flatMap(([name, config]) => (config.disabled === true ? [] : [name])));
      const errors = coming.flatMap(([name]) => {
        const failure = failureOf(name);
        return failure === undefined ? [] : [[name, failure] as const];
      });
      const removed = leaving.flatMap(([name]) => (Object.hasOwn(servers, name) ? [] : [name]));
      return { added: coming.map(([name]) => name), removed, errors: Object.fromEntries(errors) };
    },
    async reconnect(name) {
      const entry = entryOf(name);
      await hubOf(name).close();
      entry.hub = undefined;
      await begin([name]);
      const failure = failureOf(name);
      if (failure !== undefined) throw new Error(`The MCP server ${JSON.stringify(name)} can't be used: ${failure}`);
    },
    async toggle(name, enabled) {
      const entry = entryOf(name);
      if (enabled === (entry.hub !== undefined)) return;
      const { hub } = entry;
      entry.hub = undefined;
      await hub?.close();
      if (enabled) await begin([name]);
    },
    close,
  };
}

async function beginOne(name: string, entry: Entry, start: ServersStart): Promise<void> {
  const settings = toServerSettings({ ...entry.config, disabled: false }, start);
  const hub = createHub({
    servers: { [name]: settings },
    isLazy: false,
    policies: hubPolicies({ [name]: entry.config }, start.policies),
    environment: start.env,
    ...defined({ limits: start.limits }),
    catalog: { nameTemplate: NAME_TEMPLATES.agent },
    ...(start.oauth === undefined ? {} : { oauth: start.oauth.client }),
  });
  entry.hub = hub;
  const late = createDeadline((settings.connectTimeoutMs ?? SERVER_DEFAULTS.connectTimeoutMs) + GRACE_MS);
  try {
    await untilAborted(hub.start(), AbortSignal.any([start.signal, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || start.signal.aborted) throw error;
  } finally {
    late.clear();
  }
  if (start.oauth !== undefined && statusOf(name, entry).status === 'needs-auth') {
    await signInTo({ hub, server: name, signIn: start.oauth.signIn, signal: start.signal });
  }
}

/** For what comes after connecting: the listing. */
const GRACE_MS = 5_000;

function statusOf(name: string, { hub }: Entry): McpServerStatus {
  const [status] = hub?.status() ?? [];
  if (hub === undefined || status === undefined) return { name, status: 'disabled' };
  return toServerStatus(status, hub.unavailable()[0]?.reason);
}

/** One catalog of all. Each hub has bounded its own part. */
function merge(localTools: readonly Tool[], parts: readonly Snapshot[]): Snapshot {
  return createSnapshot([...localTools, ...parts.flatMap(({ tools }) => tools)], {
    nameTemplate: NAME_TEMPLATES.agent,
    maxTools: Number.POSITIVE_INFINITY,
    // Ids of two servers are alike only when slashes in their names make them so; the first one is kept.
    onDuplicate: 'first',
    digest,
  });
}

function digest(chunks: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

function isSame(left: readonly Snapshot[], right: readonly Snapshot[]): boolean {
  return left.length === right.length && left.every((snapshot, index) => snapshot === right[index]);
}
