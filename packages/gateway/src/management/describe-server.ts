import type { Tool } from '@quartermaster/core';
import { snapshotTokens } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import type { Hub, ServerStatus } from '@quartermaster/mcp';
import { type DescribedChange, describeChange } from './describe-change.ts';

/** The state of a configured MCP server. */
export interface DescribedServer {
  readonly name: string;
  /** `sign-in`: it can't be used until a user has signed in. */
  readonly state: ServerStatus['state'] | 'sign-in';
  readonly reason?: string;
  /** In how many milliseconds it is tried again, if it is. */
  readonly retry_in_ms?: number;
  readonly tools: number;
  readonly tokens: number;
  readonly pins: number;
  readonly problems: readonly string[];
  readonly trust_findings: number;
  readonly changes: readonly DescribedChange[];
  readonly protocol_version?: string;
  /** The end of what it wrote to its standard error; only for those who manage servers. */
  readonly stderr?: string;
}

export function describeServers(
  hub: Hub,
  asked: {
    readonly isManager: (name: string) => boolean;
    readonly maySee: (name: string) => boolean;
    readonly allowsTool: (tool: Tool) => boolean;
    readonly nowMs: number;
    /** Only this server: describing the changes of all of them takes time. @default all */
    readonly only?: string | undefined;
  },
): readonly DescribedServer[] {
  const { isManager, maySee, allowsTool, nowMs, only } = asked;
  const { byTool } = snapshotTokens(hub.snapshot());
  const sums = new Map<string, { tokens: number; pins: number }>();
  for (const [{ server = '', policy }, tokens] of byTool) {
    const sum = sums.get(server) ?? { tokens: 0, pins: 0 };
    sums.set(server, sum);
    sum.tokens += tokens;
    if (policy === 'never') sum.pins += 1;
  }
  const reasons = new Map(hub.unavailable().map(({ server, reason }) => [server, reason]));
  return hub
    .status()
    .filter(({ name }) => (only === undefined || name === only) && maySee(name))
    .map((status) => {
      const { name, state, tools, problems, held, changed = [], stderr, retryAtMs } = status;
      const reason = reasons.get(name) ?? status.reason;
      return {
        name,
        state: state === 'down' && status.needsSignIn === true ? 'sign-in' : state,
        ...defined({ reason }),
        ...(retryAtMs === undefined ? {} : { retry_in_ms: Math.max(0, retryAtMs - nowMs) }),
        ...{ tools, tokens: sums.get(name)?.tokens ?? 0, pins: sums.get(name)?.pins ?? 0 },
        problems,
        trust_findings: status.suspicions.length,
        changes: [...held, ...changed]
          .filter(({ after }) => allowsTool(after))
          .map((change) => describeChange(change, name)),
        ...defined({ protocol_version: status.protocolVersion }),
        ...(isManager(name) && stderr !== '' ? { stderr } : {}),
      };
    });
}
