import { createHash } from 'node:crypto';
import { createSnapshot, type Snapshot, type Tool } from '@quartermaster/core';
import {
  applyPolicies,
  createTool,
  type JsonObject,
  NAME_TEMPLATES,
  type Policy,
  type PolicyRules,
} from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import { defined, pause, SYSTEM_CLOCK, untilAborted } from '@quartermaster/core/internal';
import { createHub, type Hub, type HubOptions, type OAuthClient, SERVER_DEFAULTS } from '@quartermaster/mcp';
import { createDeadline } from '../deadline.ts';
import { invalidSetting } from '../invalid-setting.ts';
import { checkServers } from './check-servers.ts';
import { isLocal, type McpServerConfig, policyOf, type ServerSurroundings, toServerSettings } from './server-config.ts';
import { type McpServerStatus, toServerStatus } from './server-status.ts';
import { type SignIn, signInTo } from './sign-in.ts';

export interface ServersStart extends ServerSurroundings {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** When tools may be deferred. */
  readonly policies: PolicyRules;
  /** How much of a server's list is read. */
  readonly limits?: HubOptions['limits'] | undefined;
  readonly signal: AbortSignal;
  /** Tools that belong to no server. @default none */
  readonly localTools?: readonly Tool[];
  readonly oauth?: { readonly client: OAuthClient; readonly signIn: SignIn } | undefined;
  /** How long to wait for servers; the tools of slower ones are found once they are there. @default START_WAITS.firstMs */
  readonly waitMs?: number | undefined;
}

/** How long the first message, and the first search without a result, wait for servers that are still starting. */
export const START_WAITS: { readonly firstMs: number; readonly alwaysLoadedMs: number; readonly searchMs: number } = {
  firstMs: 1_000,
  // Their tools belong in the first request.
  alwaysLoadedMs: 5_000,
  searchMs: 10_000,
};

/** What `setMcpServers` did. */
export interface McpSetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Why an added server can't be used, by name. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The servers of one query. Each has its own hub, so that one can be added or removed without the others. */
export interface AgentServers {
  /** Every tool that can be used now. The same object until something changes. */
  snapshot(): Snapshot;
  call(tool: Tool, arguments_: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  readResource(server: string, uri: string): Promise<JsonObject>;
  unavailable(): readonly Unavailable[];
  /** What is suspicious about a tool's definition, one word for each finding. */
  findings(tool: Tool): readonly string[];
  status(): readonly McpServerStatus[];
  /** Whether a server runs on this machine. */
  isLocal(server: string): boolean;
  /** Whether a server has neither responded nor failed yet. */
  isStarting(): boolean;
  /** Waits until each server has responded, failed or run out of time; a server that hangs is waited for only once. */
  settle(signal?: AbortSignal): Promise<void>;
  set(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  reconnect(server: string): Promise<void>;
  toggle(server: string, enabled: boolean): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  readonly config: McpServerConfig;
  /** Whether a later `set` without it removes it. */
  readonly isReplaceable: boolean;
  /** None while the server is disabled. */
  hub?: Hub | undefined;
  /** Pending until it has responded or failed. */
  starting?: Promise<void> | undefined;
}

/**
 * Starts the servers and waits a moment for each to respond or fail. A slower one is pending, and its tools can be
 * found once they are there.
 */
export async function startServers(start: ServersStart): Promise<AgentServers> {
  const entries = new Map<string, Entry>();
  let kept: { readonly parts: readonly Snapshot[]; readonly snapshot: Snapshot } | undefined;
  const hubs = (): readonly Hub[] => [...entries.values()].flatMap(({ hub }) => hub ?? []);
  const entryOf = (name: string): Entry => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry;
    throw invalidSetting({ setting: 'mcpServers', value: name }, `There is no MCP server ${JSON.stringify(name)}`);
  };
  const hubOf = (name: string): Hub => {
    const { hub } = entryOf(name);
    if (hub !== undefined) return hub;
    const problem = `The MCP server ${JSON.stringify(name)} is disabled: enable it first`;
    throw invalidSetting({ setting: 'mcpServers', value: name }, problem);
  };
  const begin = async (names: readonly string[]): Promise<void> => {
    await Promise.all(
      names.map((name) => {
        const entry = entryOf(name);
        const starting = beginOne(name, entry, start).finally(() => {
          if (entry.starting === starting) entry.starting = undefined;
        });
        entry.starting = starting;
        return starting;
      }),
    );
  };
  const starting = (): readonly Promise<void>[] => [...entries.values()].flatMap((entry) => entry.starting ?? []);
  let searchWait: Promise<void> | undefined;
  /** Why a server that was just started can't be used; undefined if it can, or may yet. */
  const failureOf = (name: string): string | undefined => {
    const status = statusOf(name, entryOf(name));
    return status.status === 'failed' || status.status === 'needs-auth' ? (status.error ?? status.status) : undefined;
  };

  for (const [name, config] of Object.entries(start.servers)) {
    entries.set(name, { config, isReplaceable: config.type === 'sdk' });
  }
  const close = async (): Promise<void> => {
    await Promise.all(hubs().map((hub) => hub.close()));
  };
  try {
    const used = [...entries].filter(([, { config }]) => config.disabled !== true);
    const all = begin(used.map(([name]) => name));
    const eager = used
      .filter(([, { config }]) => policyOf(config) === 'never')
      .flatMap(([, entry]) => entry.starting ?? []);
    const { waitMs = START_WAITS.firstMs } = start;
    await waitAWhile(all, waitMs);
    await waitAWhile(Promise.all(eager), START_WAITS.alwaysLoadedMs - waitMs);
    // The user is signing in to these.
    await Promise.all(used.flatMap(([name, entry]) => (isSigningIn(name, entry, start) ? (entry.starting ?? []) : [])));
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
    findings: (tool) => hubs().flatMap((hub) => hub.findings(tool).map(({ kind }) => kind)),
    status: () => [...entries].map(([name, entry]) => statusOf(name, entry)),
    isLocal: (server) => isLocal(entries.get(server)?.config),
    isStarting: () => starting().length > 0,
    async settle(signal) {
      searchWait ??= waitAWhile(Promise.all(starting()), START_WAITS.searchMs);
      await untilAborted(searchWait, signal);
    },
    async set(servers) {
      checkServers(servers);
      const leaving = [...entries].filter(
        ([name, { isReplaceable, config }]) =>
          servers[name] !== config && (isReplaceable || Object.hasOwn(servers, name)),
      );
      const coming = Object.entries(servers).filter(([name, config]) => entries.get(name)?.config !== config);
      for (const [name, { hub }] of leaving) {
        entries.delete(name);
        await hub?.close();
      }
      for (const [name, config] of coming) entries.set(name, { config, isReplaceable: true });
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
  if (start.oauth !== undefined && isSigningIn(name, entry, start)) {
    await signInTo({ hub, server: name, signIn: start.oauth.signIn, signal: start.signal });
  }
}

/**
 * Waits for work, up to a time limit. In short steps: a process that can't run for a while must not take that for a server that
 * hangs.
 */
async function waitAWhile(work: Promise<unknown>, waitMs: number): Promise<void> {
  const ended = new AbortController();
  const done = work.finally(() => ended.abort());
  // A later failure is reported in the status.
  done.catch(() => undefined);
  for (let leftMs = waitMs; leftMs > 0 && !ended.signal.aborted; leftMs -= WAIT_STEP_MS) {
    await pause(SYSTEM_CLOCK, Math.min(WAIT_STEP_MS, leftMs), ended.signal).catch(() => undefined);
  }
  if (ended.signal.aborted) await done;
}

const WAIT_STEP_MS = 50;

function isSigningIn(name: string, entry: Entry, { oauth }: ServersStart): boolean {
  return oauth !== undefined && statusOf(name, entry).status === 'needs-auth';
}

/** Time for what follows the connection: the listing. */
const GRACE_MS = 5_000;

function statusOf(name: string, { hub }: Entry): McpServerStatus {
  const [status] = hub?.status() ?? [];
  if (hub === undefined || status === undefined) return { name, status: 'disabled' };
  return toServerStatus(status, hub.unavailable()[0]?.reason);
}

/** One catalog of all tools. Each hub has limited its own part. */
function merge(localTools: readonly Tool[], parts: readonly Snapshot[]): Snapshot {
  return createSnapshot([...localTools, ...parts.flatMap(({ tools }) => tools)], {
    nameTemplate: NAME_TEMPLATES.agent,
    maxTools: Number.POSITIVE_INFINITY,
    // Two servers have equal ids only if slashes in their names make them so; the first one is kept.
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

/**
 * The rules for the hub: the given ones, and the policies of tools in this process, which apply if no rule matches.
 * An entry's own `policy` applies to all of its tools.
 */
export function hubPolicies(servers: Readonly<Record<string, McpServerConfig>>, rules: PolicyRules): PolicyRules {
  const tools = Object.entries(servers).flatMap(([server, config]) =>
    ownPolicies(config).map(([name, policy]) => createTool({ server, name, policy })),
  );
  // Rules for a tool by its name win over all others, so each one has to include everything that applies to it.
  const decided = applyPolicies(tools, rules).map(({ id, policy }) => [id, policy] as const);
  return { ...rules, tools: { ...Object.fromEntries(decided), ...rules.tools } };
}

function ownPolicies(config: McpServerConfig): readonly (readonly [string, Policy])[] {
  return 'toolPolicies' in config && policyOf(config) === undefined ? Object.entries(config.toolPolicies) : [];
}
