import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { write } from '../command-io.ts';
import type { CommandContext, InstallFlags, UninstallFlags } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { dataFolder, measureConfigured, renderCosts } from '../serving/index.ts';
import { confirm, counted, oneLine, wrap } from '../terminal/index.ts';
import { applyInstall, freeServersFile } from './apply-install.ts';
import { CLIENTS } from './known-clients.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { McpClient, StartCommand } from './mcp-client.ts';
import { findPlaces, type Places } from './places.ts';
import { type InstallPlan, planInstall } from './plan-install.ts';
import { renderDiff } from './render-diff.ts';
import { undoInstall } from './undo-install.ts';

/** Moves a client's servers behind us, after it has shown what that changes. */
export async function installClient(id: string, flags: InstallFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  const client = clientNamed(id);
  const places = findPlaces(io.env);
  const file = flags.file ?? findClientFile(client, places);
  if (file === undefined) throw new InputError(notFound(client, places));
  const ledger = ledgerOf(places);
  const plan = planFor({ client, file, places, ledger });
  if (plan === undefined) {
    await write(io.stdout, `${file} has no MCP servers to move.\n`);
    return;
  }
  if (flags.cost) await showCosts(file, context);
  await write(io.stdout, `${describePlan(plan, context)}\n`);
  if (flags.dryRun === true) {
    await write(io.stdout, 'Nothing was changed.\n');
    return;
  }
  if (flags.yes !== true && !(await confirm(io, 'Make this change?')))
    throw new InputError('Nothing was changed. Add --yes to go ahead without being asked.');
  const { backup } = applyInstall(plan, ledger, new Date());
  const text = [
    `${counted(plan.moved.length, 'server')} moved. Restart ${client.name} to use Quartermaster.`,
    `Servers: ${plan.servers.path}`,
    `Backup:  ${backup}`,
    `Undo:    quartermaster mcp uninstall ${client.id}`,
  ];
  await write(io.stdout, `${text.join('\n')}\n`);
}

/** Puts back the files of one client, or of all. */
export async function uninstallClients(
  id: string | undefined,
  { dryRun }: UninstallFlags,
  { io, exit }: CommandContext,
): Promise<void> {
  if (id !== undefined) clientNamed(id);
  const ledger = ledgerOf(findPlaces(io.env));
  const installed = ledger.list().filter(({ client }) => id === undefined || client === id);
  for (const one of installed) {
    if (dryRun === true) {
      await write(io.stdout, `${one.file}: would be put back from ${one.backup}\n`);
      continue;
    }
    const undone = undoInstall(one, ledger);
    const how = {
      whole: 'put back as it was',
      servers: 'changed since, so only its servers were put back',
      gone: 'not there any more, or without servers; nothing was put back',
    }[undone.kind];
    const kept = 'backup' in undone ? `; its backup is ${undone.backup}` : '';
    await write(io.stdout, `${one.file}: ${how}${kept}\n`);
    if (undone.keptServers !== undefined) {
      await write(
        io.stdout,
        `${undone.keptServers}: kept, since it was changed after the move; servers that you added are there\n`,
      );
    }
  }
  if (installed.length > 0) return;
  await write(io.stderr, 'Nothing is installed.\n');
  exit(EXIT.nothingFound);
}

/** The file of a client that is on this machine. */
export function findClientFile(client: McpClient, places: Places): string | undefined {
  return client.files(places).find((file) => existsSync(file));
}

/** What would change for a client. Undefined when it has no servers to move. */
export function planFor(options: {
  readonly client: McpClient;
  readonly file: string;
  readonly places: Places;
  readonly ledger: Ledger;
}): InstallPlan | undefined {
  const { client, ledger } = options;
  return planInstall({ ...options, serversFile: freeServersFile(ledger, client.id), start: startCommand });
}

export function ledgerOf({ home, env }: Places): Ledger {
  return openLedger(dataFolder({ env, home }));
}

/** Absolute paths: clients with a window are started without the paths of a shell. */
function startCommand(serversFile: string): StartCommand {
  const bin = fileURLToPath(new URL(join('..', '..', 'bin', 'quartermaster.js'), import.meta.url));
  return { command: process.execPath, args: [bin, 'mcp', '--mcp-config', serversFile] };
}

async function showCosts(file: string, { io, terminal }: CommandContext): Promise<void> {
  const { costs } = await measureConfigured(
    { mcpConfig: [file] },
    {
      io,
      onStart: (servers) => void io.stderr.write(`Starting ${counted(servers, 'server')} to see what they cost…\n`),
    },
  );
  await write(io.stdout, `${renderCosts(costs, terminal)}\n\n`);
}

function describePlan(
  { client, seen, after, moved, left, notes, servers }: InstallPlan,
  { terminal }: CommandContext,
): string {
  const { paint, width } = terminal;
  const lines = (entries: readonly string[]): readonly string[] =>
    entries.map((entry) => wrap(oneLine(entry, 1_000), width, { indent: 2, hanging: 4 }));
  return [
    paint.bold(seen.path),
    renderDiff(seen.text, after, terminal),
    '',
    wrap(`${counted(moved.length, 'server')} to ${servers.path}: ${moved.join(', ')}`, width),
    ...(left.length === 0 ? [] : ['Not moved:', ...lines(left.map(({ name, why }) => `${name}: ${why}`))]),
    ...(notes.length === 0
      ? []
      : ['Not carried over:', ...lines(notes.map(({ server, message }) => `${server}: ${message}`))]),
    ...(client.caveat === undefined ? [] : [wrap(`Note: ${client.caveat}`, width)]),
  ].join('\n');
}

function clientNamed(id: string): McpClient {
  const client = CLIENTS.find((one) => one.id === id);
  if (client !== undefined) return client;
  throw new InputError(`There is no client ${JSON.stringify(id)}. Clients: ${CLIENTS.map((one) => one.id).join(', ')}`);
}

function notFound(client: McpClient, places: Places): string {
  return `${client.name} has no file here. Looked for:\n${client
    .files(places)
    .map((file) => `  ${file}`)
    .join('\n')}\nName it with --file FILE.`;
}
