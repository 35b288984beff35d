import { write } from '../command-io.ts';
import type { CommandContext, StatusFlags } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { counted } from '../terminal/index.ts';
import { measureConfigured } from './measure-configured.ts';
import { renderStatus } from './render-status.ts';
import { readRunning } from './running-status.ts';

/** Starts the servers, says how each is doing and what its tools cost, and ends them. */
export async function showStatus(flags: StatusFlags, { io, terminal, exit }: CommandContext): Promise<void> {
  const { json: isJson, ...place } = flags;
  const { costs, config } = await measureConfigured(place, {
    io,
    onStart(servers) {
      if (isJson !== true) io.stderr.write(`Starting ${counted(servers, 'server')}…\n`);
    },
  });
  const report = { costs, notes: config.notes, running: readRunning(io.env) };
  const text = isJson === true ? JSON.stringify(report, null, 2) : renderStatus(report, terminal);
  await write(io.stdout, `${text}\n`);
  if (costs.servers.some(({ state }) => state === 'down')) exit(EXIT.nothingFound);
}
