import { NAME_TEMPLATES, type PolicyRules, untilAborted } from '@quartermaster/core';
import { createHub, type Hub, type HubOptions, SERVER_DEFAULTS } from '@quartermaster/mcp';
import { createDeadline } from '../deadline.ts';
import { hubPolicies } from './hub-policies.ts';
import { type McpServerConfig, type ServerSurroundings, toServerSettings } from './server-config.ts';
import { type McpServerStatus, toServerStatus } from './server-status.ts';

export interface HubStart extends ServerSurroundings {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** When tools may be deferred. */
  readonly policies: PolicyRules;
  /** How much of a server's list is taken. */
  readonly limits?: HubOptions['limits'] | undefined;
  readonly signal: AbortSignal;
}

/** The servers of one query. */
export interface AgentServers {
  readonly hub: Hub;
  status(): readonly McpServerStatus[];
}

/**
 * Starts the servers and waits until each has answered or failed. One that takes longer than it may to connect and list is
 * not waited for: it is pending, and its tools can be searched for once they are there.
 */
export async function startHub(start: HubStart): Promise<AgentServers> {
  const { servers, env, signal } = start;
  const settings = Object.entries(servers).map(([name, config]) => [name, toServerSettings(config, start)] as const);
  const hub = createHub({
    servers: Object.fromEntries(settings),
    isLazy: false,
    policies: hubPolicies(servers, start.policies),
    environment: env,
    ...(start.limits === undefined ? {} : { limits: start.limits }),
    catalog: { nameTemplate: NAME_TEMPLATES.agent },
  });
  const longest = Math.max(0, ...settings.map(([, one]) => one.connectTimeoutMs ?? SERVER_DEFAULTS.connectTimeoutMs));
  const late = createDeadline(longest + GRACE_MS);
  try {
    await untilAborted(hub.start(), AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) {
      await hub.close();
      throw error;
    }
  } finally {
    late.clear();
  }
  const disabled = settings.flatMap(([name, one]): readonly McpServerStatus[] =>
    one.disabled === true ? [{ name, status: 'disabled' }] : [],
  );
  const status = (): readonly McpServerStatus[] => {
    const missing = new Map(hub.unavailable().map(({ server, reason }) => [server, reason]));
    return [...hub.status().map((one) => toServerStatus(one, missing.get(one.name))), ...disabled];
  };
  return { hub, status };
}

/** For what comes after connecting: the listing. */
const GRACE_MS = 5_000;
