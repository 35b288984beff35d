import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '@quartermaster/host/config';
import { write } from '../command-io.ts';
import type { CommandContext, InitFlags } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { measureConfigured, renderCosts, type ServerCosts } from '../serving/index.ts';
import { confirm, counted, oneLine, wrap } from '../terminal/index.ts';
import { applyInstall, isUnchanged } from './apply-install.ts';
import { hashOf, readSeen, replaceFile, serversIn } from './client-file.ts';
import { findClientFile, ledgerOf, planFor, uninstallClients } from './install-client.ts';
import { CLIENTS } from './known-clients.ts';
import type { Ledger } from './ledger.ts';
import type { McpClient } from './mcp-client.ts';
import { findPlaces, type Places } from './places.ts';
import type { InstallPlan } from './plan-install.ts';

/** A client on this machine that has servers. */
interface FoundClient {
  readonly client: McpClient;
  readonly file: string;
  readonly servers: readonly string[];
}

/** From nothing to servers behind Quartermaster, or all the way back. */
export async function initialize(flags: InitFlags, context: CommandContext): Promise<void> {
  const { io, terminal, exit } = context;
  const print = (text: string): Promise<void> => write(io.stdout, `${text}\n`);
  const places = findPlaces(io.env);
  const ledger = ledgerOf(places);
  if (flags.undo === true) return undo(ledger, context);
  const found = await findClients(places, context);
  if (found.length === 0) {
    await print('No MCP servers found in the files of your clients. See: quartermaster mcp --help');
    exit(EXIT.nothingFound);
    return;
  }
  for (const { client, file, servers } of found) {
    await print(
      wrap(
        `${terminal.paint.bold(client.name)}: ${counted(servers.length, 'server')} in ${file}: ${servers.join(', ')}`,
        terminal.width,
        { hanging: 2 },
      ),
    );
  }
  if (flags.cost) await showCosts(found, flags, context);
  if (flags.dryRun === true) return preview(found, { flags, context, places, ledger });
  const files: string[] = [];
  for (const one of found) files.push(await offer(one, { flags, context, places, ledger }));
  await writeSettings(resolve(flags.config), { files, found, ledger, print });
}

/** What would be moved and written, client by client. */
async function preview(found: readonly FoundClient[], offers: Offer): Promise<void> {
  const { context, flags, ledger } = offers;
  const print = (text: string): Promise<void> => write(context.io.stdout, `${text}\n`);
  for (const one of found) {
    if (ledger.list().some(({ client }) => client === one.client.id)) {
      await print(`${one.client.name} is behind Quartermaster already.`);
      continue;
    }
    const plan = await planOrSay(one, offers);
    if (plan === undefined) continue;
    await print(`${one.client.name}: would move ${counted(plan.moved.length, 'server')} to ${plan.servers.path}`);
    for (const { name, why } of plan.left) await print(`  ${name} stays: ${oneLine(why, 200)}`);
  }
  const path = resolve(flags.config);
  await print(existsSync(path) ? `${path} exists and would be kept.` : `${path} would be written.`);
  await print('Nothing was changed (--dry-run).');
}

async function findClients(places: Places, { io }: CommandContext): Promise<readonly FoundClient[]> {
  const found: FoundClient[] = [];
  for (const client of CLIENTS) {
    const file = findClientFile(client, places);
    if (file === undefined) continue;
    try {
      const servers = (serversIn(file, readSeen(file).text)?.servers ?? []).filter(({ isOff }) => !isOff);
      if (servers.length > 0) found.push({ client, file, servers: servers.map(({ name }) => name) });
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof InputError)) throw error;
      await write(io.stderr, `${client.name} is skipped: ${error.message}\n`);
    }
  }
  return found;
}

async function showCosts(
  found: readonly FoundClient[],
  flags: InitFlags,
  { io, terminal }: CommandContext,
): Promise<void> {
  const { costs } = await measureConfigured(
    { mcpConfig: found.map(({ file }) => file), context: flags.context },
    {
      io,
      onStart: (servers) => void io.stderr.write(`Starting ${counted(servers, 'server')} to see what they cost…\n`),
    },
  );
  await write(
    io.stdout,
    `\n${renderCosts(costs, terminal)}\n\n${wrap(describeMoney(costs, flags), terminal.width)}\n\n`,
  );
}

/** Without what a provider takes off for cached prompts. */
function describeMoney({ tokens, deferredTokens, isDeferred }: ServerCosts, { price, requests }: InitFlags): string {
  const dollars = (count: number): string => `$${((count * requests * price) / 1_000_000).toFixed(2)}`;
  const saved = Math.max(0, tokens - deferredTokens);
  return `At $${price} a million tokens and ${requests.toLocaleString('en-US')} requests a day: ${dollars(tokens)} a day, of which a search ${isDeferred ? 'saves' : 'would save'} ${dollars(saved)}; less with prompt caching.`;
}

interface Offer {
  readonly flags: InitFlags;
  readonly context: CommandContext;
  readonly places: Places;
  readonly ledger: Ledger;
}

/** Moves a client's servers if its user wants that. Gives the file that has them then. */
async function offer({ client, file }: FoundClient, { flags, context, places, ledger }: Offer): Promise<string> {
  const { io } = context;
  const installed = ledger.list().find((one) => one.client === client.id);
  if (installed !== undefined) return installed.servers.path;
  const plan = await planOrSay({ client, file }, { context, places, ledger });
  if (plan === undefined) return file;
  if (flags.yes !== true && !(await confirm(io, `Put Quartermaster in front of ${client.name}'s servers?`))) {
    await write(io.stdout, `${client.name} is left as it is. Later: quartermaster mcp install ${client.id}\n`);
    return file;
  }
  const { backup } = applyInstall(plan, ledger, new Date());
  const kept = plan.left.map(({ name, why }) => `  ${name} stays: ${oneLine(why, 200)}\n`).join('');
  const lost = plan.notes.map(({ server, message }) => `  ${server}: ${oneLine(message, 200)}\n`).join('');
  await write(
    io.stdout,
    `${client.name}: ${counted(plan.moved.length, 'server')} moved. Backup: ${backup}\n${kept}${lost}`,
  );
  return plan.servers.path;
}

/** A client that can't be changed doesn't stop the others. */
async function planOrSay(
  { client, file }: Pick<FoundClient, 'client' | 'file'>,
  { context, places, ledger }: Omit<Offer, 'flags'>,
): Promise<InstallPlan | undefined> {
  try {
    return planFor({ client, file, places, ledger });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    await write(context.io.stdout, `${client.name} is left as it is: ${error.message}\n`);
    return undefined;
  }
}

interface Written {
  readonly path: string;
  readonly hash: string;
}

async function writeSettings(
  path: string,
  {
    files,
    found,
    ledger,
    print,
  }: {
    readonly files: readonly string[];
    readonly found: readonly FoundClient[];
    readonly ledger: Ledger;
    readonly print: (text: string) => Promise<void>;
  },
): Promise<void> {
  if (existsSync(path)) return print(`${path} exists and was kept.`);
  const lines = files.map((file, index) => `  - ${JSON.stringify(file)} # ${found[index]?.client.name}\n`);
  const text = `# The MCP servers of your clients, for quartermaster serve, mcp and mcp status.\n# Written by quartermaster init; quartermaster init --undo deletes it while it is unchanged.\nmcpConfig:\n${lines.join('')}`;
  replaceFile(path, text);
  const written: Written = { path, hash: hashOf(text) };
  replaceFile(recordOf(ledger), `${JSON.stringify(written)}\n`);
  return print(`${path} was written. Restart your clients; undo it all with: quartermaster init --undo`);
}

async function undo(ledger: Ledger, context: CommandContext): Promise<void> {
  const { io } = context;
  const record = recordOf(ledger);
  const written = existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as Written) : undefined;
  if (written === undefined || ledger.list().length > 0) await uninstallClients(undefined, {}, context);
  if (written === undefined) return;
  const isOurs = isUnchanged(written.path, written.hash);
  if (isOurs) rmSync(written.path);
  rmSync(record);
  await write(io.stdout, `${written.path} ${isOurs ? 'was deleted' : 'was kept, since it was changed or is gone'}.\n`);
}

function recordOf({ folder }: Ledger): string {
  return join(folder, 'settings-written.json');
}
