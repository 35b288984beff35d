import type { Snapshot } from '@quartermaster/core';
import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core/gate';
import type { Config } from '@quartermaster/host/config';
import type { CommandIo } from '../../command-io.ts';
import type { ProxyForm, ServerFlags } from '../../commands/index.ts';
import { loadAnsweredSettings, loadSettings } from '../settings/load-settings.ts';
import { withStore } from '../store/open-configured-store.ts';
import { configuredServers, createConfiguredHub, offerSignIn } from './create-configured-hub.ts';
import { measureServers, type ServerCosts } from './measure-servers.ts';

export interface StatusFlags extends ServerFlags {
  readonly context?: number;
}

export interface MeasureOptions {
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
