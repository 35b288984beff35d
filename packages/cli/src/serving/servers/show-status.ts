import { print } from '../../command-io.ts';
import type { CommandContext, JsonFlag } from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { counted } from '../../terminal/index.ts';
import { measureConfigured, type StatusFlags } from './measure-configured.ts';
import { renderStatus } from './render-status.ts';
import { readRunning } from './running-status.ts';

/** Starts the servers, reports their state and what their tools cost, and stops them. */
export async function showStatus(flags: StatusFlags & JsonFlag, { io, terminal, exit }: CommandContext): Promise<void> {
  const isJson = flags.json === true;
  const { costs, config, files } = await measureConfigured(flags, {
    io,
    onStart(servers) {
      if (!isJson && servers > 0) io.stderr.write(`Starting ${counted(servers, 'server')}…\n`);
    },
  });
  const report = { costs, files, notes: config.notes, running: readRunning(io.env) };
  if (!isJson && costs.servers.length === 0 && report.running.length === 0) throw new InputError(NO_SERVERS);
  const text = isJson ? JSON.stringify(report, null, 2) : renderStatus(report, terminal);
  await print(io, text);
  if (costs.servers.some(({ state }) => state === 'down')) exit(EXIT.nothingFound);
}

const NO_SERVERS = `There are no MCP servers in the settings. To move those of your clients behind Quartermaster:

  quartermaster init

Or name the file that has them:

  quartermaster mcp status --mcp-config .mcp.json`;
