import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core';
import { write } from '../command-io.ts';
import type { CommandContext, StatusFlags } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { counted } from '../terminal/index.ts';
import { configuredServers, createConfiguredHub, offerSignIn } from './create-configured-hub.ts';
import { loadAnsweredSettings, loadSettings } from './load-settings.ts';
import { measureServers } from './measure-servers.ts';
import { openConfiguredStore } from './open-configured-store.ts';
import { renderStatus } from './render-status.ts';
import { readRunning } from './running-status.ts';

/** Starts the servers, says how each is doing and what its tools cost, and ends them. */
export async function showStatus(flags: StatusFlags, { io, terminal, exit }: CommandContext): Promise<void> {
  const { json: isJson, context, ...place } = flags;
  const { config: unanswered } = loadSettings(place, io.env);
  const store = await openConfiguredStore(unanswered.store);
  try {
    const config = await loadAnsweredSettings(place, io.env, store.tokens);
    const servers = offerSignIn(configuredServers(config, () => undefined) ?? { servers: {} });
    const hub = createConfiguredHub(config, {
      ...{ servers, store, env: io.env, mcpConfig: flags.mcpConfig, isLazy: false },
    });
    try {
      if (isJson !== true)
        await write(io.stderr, `Starting ${counted(Object.keys(servers.servers).length, 'server')}…\n`);
      await hub.start();
      const costs = measureServers(hub, context ?? config.mcp.contextTokens ?? DEFAULT_CONTEXT_TOKENS);
      const report = { costs, notes: config.notes, running: readRunning(io.env) };
      const text = isJson === true ? JSON.stringify(report, null, 2) : renderStatus(report, terminal);
      await write(io.stdout, `${text}\n`);
      if (costs.servers.some(({ state }) => state === 'down')) exit(EXIT.nothingFound);
    } finally {
      await hub.close();
    }
  } finally {
    await store.close();
  }
}
