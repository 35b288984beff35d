import { createBm25Searcher, createToolbox, type Snapshot } from '@quartermaster/core';
import { FORMS } from '@quartermaster/core/disclosure';
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_GATE_SETTINGS, decideGate, snapshotTokens } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import type { Config } from '@quartermaster/host/config';
import type { Hub } from '@quartermaster/mcp';
import type { CommandIo } from '../../command-io.ts';
import type { ProxyForm, ServerFlags } from '../../commands/index.ts';
import { loadAnsweredSettings, loadSettings } from '../settings/load-settings.ts';
import { withStore } from '../store/open-configured-store.ts';
import { configuredServers, createConfiguredHub, offerSignIn } from './create-configured-hub.ts';

export interface StatusFlags extends ServerFlags {
  readonly context?: number;
}

interface MeasureOptions {
  readonly io: Pick<CommandIo, 'env'>;
  /** How the proxy will list the tools. @default `mcp.form` in the settings */
  readonly form?: ProxyForm | undefined;
  /** Called with the number of servers before they are started, if there are any. */
  onStart?(servers: number): void;
}

/** Starts the servers in the settings, counts what their tools cost, and stops them. `files`: how many files besides the settings name them. */
export async function measureConfigured(
  flags: StatusFlags,
  { io, form, onStart }: MeasureOptions,
): Promise<{
  readonly costs: ServerCosts;
  readonly config: Config;
  readonly files: number;
  readonly snapshot: Snapshot;
}> {
  const { config: unanswered, hasFile } = loadSettings(flags, io.env);
  return withStore(unanswered.store, async (store) => {
    const config = await loadAnsweredSettings(flags, io.env, store.tokens);
    const servers = offerSignIn(configuredServers(config, () => undefined) ?? { servers: {} });
    const hub = createConfiguredHub(config, {
      ...{ servers, store, env: io.env, mcpConfig: flags.mcpConfig, isLazy: false },
    });
    try {
      const count = Object.keys(servers.servers).length;
      if (count > 0) onStart?.(count);
      await hub.start();
      const contextTokens = flags.context ?? config.mcp.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
      const costs = measureServers(hub, { contextTokens, form: form ?? config.mcp.form });
      const files = config.files.length - (hasFile ? 1 : 0);
      return { config, files, costs, snapshot: hub.snapshot() };
    } finally {
      await hub.close();
    }
  });
}

/** What servers cost a model that sees all of their tools. Tokens are estimated. */
export interface ServerCosts {
  readonly contextTokens: number;
  readonly servers: readonly ServerCost[];
  readonly tools: number;
  /** All definitions. */
  readonly tokens: number;
  /** What the form bridge shows instead. */
  readonly deferredTokens: number;
  /** Whether a client sees the form bridge or load: by the configured form, otherwise by the default gate. */
  readonly isDeferred: boolean;
}

export interface ServerCost {
  readonly name: string;
  /** `ready`: it responds; `idle`: known from its stored listing; `down`: it can't be used. */
  readonly state: 'ready' | 'idle' | 'connecting' | 'down';
  readonly reason?: string;
  readonly tools: number;
  readonly tokens: number;
  /** Tools that are held back until their changed definitions are accepted. */
  readonly held: number;
  /** What people should look at in its definitions: `tool: kind (excerpt)`. Absent if there is nothing. */
  readonly findings?: readonly string[];
}

/** Counts the tools that the hub's servers list. Call it once the hub has started. */
function measureServers(
  hub: Pick<Hub, 'snapshot' | 'status' | 'unavailable'>,
  { contextTokens, form }: { readonly contextTokens: number; readonly form: ProxyForm | undefined },
): ServerCosts {
  const snapshot = hub.snapshot();
  const { total, byTool } = snapshotTokens(snapshot);
  const tokens = new Map<string, number>();
  for (const [{ server = '' }, count] of byTool) tokens.set(server, (tokens.get(server) ?? 0) + count);
  const settings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } } as const;
  const toolbox = createToolbox({ tools: snapshot, searcher: createBm25Searcher(snapshot), settings });
  const limits = { contextTokens, source: 'override' } as const;
  const plan = toolbox.plan(limits, { form: FORMS.bridge });
  const reasons = new Map(hub.unavailable().map(({ server, reason }) => [server, reason]));
  return {
    contextTokens,
    servers: hub.status().map(({ name, state, reason, tools, held, suspicions }) => {
      const findings = suspicions.map(({ tool, kind, at, excerpt }) => `${tool}: ${kind} in ${at} (${excerpt})`);
      const why = reasons.get(name) ?? reason;
      return {
        name,
        state,
        tools,
        tokens: tokens.get(name) ?? 0,
        held: held.length,
        ...defined({ reason: why }),
        ...(findings.length === 0 ? {} : { findings }),
      };
    }),
    tools: snapshot.tools.length,
    tokens: total,
    deferredTokens: plan.tokens.after,
    isDeferred:
      form === undefined
        ? decideGate({ snapshot, settings: DEFAULT_GATE_SETTINGS, limits }).kind === 'defer'
        : form !== 'inline',
  };
}
