import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@quartermaster/host/config';
import { note, print } from '../command-io.ts';
import type { CommandContext, ProxyForm } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { dataFolder, renderCosts } from '../serving/index.ts';
import { confirm, counted, oneLine, wrap } from '../terminal/index.ts';
import { applyInstall, freeServersFile, undoInstall } from './apply-install.ts';
import { findClientFile } from './find-clients.ts';
import { CLIENTS, type McpClient, ofProject, type StartCommand } from './known-clients.ts';
import { type Installed, type Ledger, openLedger } from './ledger.ts';
import { measureClient } from './measure-client.ts';
import { findOtherScopes } from './other-scopes.ts';
import { findPlaces, type Places } from './places.ts';
import { type InstallPlan, planInstall } from './plan-install.ts';
import { renderDiff } from './render-diff.ts';

interface InstallFlags {
  readonly file?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  /** Whether servers are started to measure their cost. */
  readonly cost: boolean;
  /** The project folder, for the servers that Claude Code keeps for it. */
  readonly project?: string;
  readonly form?: ProxyForm;
}

interface UninstallFlags {
  readonly dryRun?: true;
}

/** Moves a client's servers behind us, after showing what changes. */
export async function installClient(id: string, flags: InstallFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  const client = flags.project === undefined ? clientNamed(id) : ofProject(clientNamed(id), resolve(flags.project));
  if (client.project !== undefined && id !== 'claude-code') {
    throw new InputError(`--project is for claude-code; for ${client.name}, name the project's file with --file`);
  }
  const places = findPlaces(io.env);
  const file = flags.file ?? findClientFile(client, places);
  if (file === undefined) throw new InputError(notFound(client, places));
  const ledger = ledgerOf(places);
  const plan = planFor({ client, file, places, ledger, form: flags.form });
  if (plan === undefined) {
    const whose = client.project === undefined ? '' : ` for ${client.project}`;
    await print(io, `${file} has no MCP servers to move${whose}.`);
    return;
  }
  if (flags.cost) {
    const costs = await measureClient({ client, file }, { io, form: flags.form });
    await print(io, `${renderCosts(costs, context.terminal)}\n`);
  }
  const caveats = [client.caveat, flags.file === undefined ? client.userCaveat : undefined, plan.remark];
  await print(io, describePlan(plan, caveats, context));
  if (flags.dryRun === true) {
    await print(io, 'Nothing was changed.');
    return;
  }
  if (flags.yes !== true && !(await confirm(io, 'Make this change?')))
    throw new InputError('Nothing was changed. Add --yes to confirm without a prompt.');
  const { backup } = applyInstall(plan, ledger, new Date());
  const text = [
    `${counted(plan.moved.length, 'server')} moved. Restart ${client.name} to use Quartermaster.`,
    `Servers: ${plan.servers.path}`,
    `Backup:  ${backup}`,
    `Undo:    quartermaster mcp uninstall ${client.id}`,
  ];
  await print(io, text.join('\n'));
}

/** Restores the files of one client, or of all. */
export async function uninstallClients(
  id: string | undefined,
  { dryRun }: UninstallFlags,
  { io, exit }: CommandContext,
): Promise<void> {
  if (id !== undefined) clientNamed(id);
  const ledger = ledgerOf(findPlaces(io.env));
  // The latest first: two moves may have changed the same file.
  const installed = ledger
    .list()
    .filter(({ client }) => id === undefined || client === id)
    .reverse();
  for (const one of installed) {
    if (dryRun === true) {
      await print(io, `${one.file}: would be restored from ${one.backup}`);
      continue;
    }
    const undone = undoOrSay(one, ledger);
    if (typeof undone === 'string') {
      const backup = existsSync(one.backup) ? `; the backup is ${one.backup}` : '';
      await note(io, `${one.file} was not restored: ${undone}${backup}`);
      exit(EXIT.badInput);
      continue;
    }
    const how = {
      whole: 'restored',
      servers: 'has changed since, so only its servers were restored',
      gone: 'no longer exists, or has no servers; nothing was restored',
    }[undone.kind];
    const kept = 'backup' in undone ? `; the backup is ${undone.backup}` : '';
    const project = one.project === undefined ? '' : ` (project ${one.project})`;
    await print(io, `${one.file}${project}: ${how}${kept}`);
    if (undone.keptServers !== undefined) {
      await print(io, `${undone.keptServers}: kept, because it has changed since; servers that you added are in it`);
    }
  }
  if (installed.length > 0) {
    if (dryRun !== true) await print(io, 'Restart your clients to use their servers directly again.');
    return;
  }
  await note(io, 'Nothing to restore: Quartermaster has not moved the servers of any client.');
  exit(EXIT.nothingFound);
}

/** A file that can't be restored doesn't stop the others. It stays on the list, for another try. */
function undoOrSay(installed: Installed, ledger: Ledger): ReturnType<typeof undoInstall> | string {
  try {
    return undoInstall(installed, ledger);
  } catch (error) {
    if (error instanceof InputError || error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** What would change for a client. Undefined if it has no servers to move. */
export function planFor(options: {
  readonly client: McpClient;
  readonly file: string;
  readonly places: Places;
  readonly ledger: Ledger;
  /** How the proxy lists tools. @default the gate decides */
  readonly form?: ProxyForm | undefined;
  /** Files that other plans will write. @default none */
  readonly taken?: readonly string[];
}): InstallPlan | undefined {
  const { client, ledger, form } = options;
  return planInstall({
    ...{ ...options, others: findOtherScopes(options) },
    serversFile: freeServersFile(ledger, client.id, options.taken),
    start: (...serversFiles) => startCommand(serversFiles, form),
  });
}

export function ledgerOf({ home, env }: Places): Ledger {
  return openLedger(dataFolder({ env, home }));
}

/** Absolute paths: desktop clients don't have the PATH of a shell. */
function startCommand(serversFiles: readonly string[], form: ProxyForm | undefined): StartCommand {
  const bin = fileURLToPath(new URL(join('..', '..', 'bin', 'quartermaster.js'), import.meta.url));
  return {
    command: process.execPath,
    args: [bin, 'mcp', ...(form === undefined ? [] : ['--form', form]), '--mcp-config', ...serversFiles],
  };
}

function describePlan(
  { seen, after, moved, left, notes, servers }: InstallPlan,
  caveats: readonly (string | undefined)[],
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
    ...caveats.flatMap((text) => (text === undefined ? [] : [wrap(`Note: ${text}`, width)])),
  ].join('\n');
}

function clientNamed(id: string): McpClient {
  const client = CLIENTS.find((one) => one.id === id);
  if (client !== undefined) return client;
  throw new InputError(`Unknown client ${JSON.stringify(id)}. Clients: ${CLIENTS.map((one) => one.id).join(', ')}`);
}

function notFound(client: McpClient, places: Places): string {
  return `${client.name} has no configuration file here. Looked for:\n${client
    .files(places)
    .map((file) => `  ${file}`)
    .join('\n')}\nSpecify it with --file FILE.`;
}
