import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { write } from '../command-io.ts';
import type { CommandContext, InitFlags } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { renderCosts, type ServerCosts } from '../serving/index.ts';
import { confirm, counted, dollars, oneLine, wrap } from '../terminal/index.ts';
import { applyInstall, isUnchanged } from './apply-install.ts';
import { hashOf, replaceFile } from './client-file.ts';
import { type FoundClient, findClients } from './find-clients.ts';
import { ledgerOf, planFor, uninstallClients } from './install-client.ts';
import type { Ledger } from './ledger.ts';
import { measureClients } from './measure-clients.ts';
import { findPlaces, type Places } from './places.ts';
import type { InstallPlan } from './plan-install.ts';

/** Finds the servers of all clients, shows their cost and moves them behind Quartermaster; or undoes that. */
export async function initialize(flags: InitFlags, context: CommandContext): Promise<void> {
  const { io, terminal, exit } = context;
  const print = (text: string): Promise<void> => write(io.stdout, `${text}\n`);
  const places = findPlaces(io.env);
  const ledger = ledgerOf(places);
  if (flags.undo === true) return undo(ledger, context);
  const found = await findClients(places, context, process.cwd());
  if (found.length === 0 && ledger.list().length > 0) {
    await print('All servers of your clients are behind Quartermaster. Check them with: quartermaster doctor');
    return;
  }
  if (found.length === 0) {
    await print(
      'No MCP servers found in the configuration files of your clients. If yours are in another file: quartermaster inspect --mcp-config FILE',
    );
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
  const offers: Offer = { flags, context, places, ledger };
  if (flags.cost) {
    const costs = await measureClients(found, { io, context: flags.context, form: flags.form });
    const text = `\n${renderCosts(costs, terminal)}\n\n${wrap(describeMoney(costs, flags), terminal.width)}\n\n`;
    await write(io.stdout, text);
  }
  const canAsk = flags.yes === true || io.stdin.isTTY === true;
  if (flags.dryRun === true || !canAsk) {
    await preview(found, offers);
    if (flags.dryRun === true) return print('Nothing was changed (--dry-run).');
    throw new InputError('Nothing was changed: there is no terminal to ask for confirmation. Add --yes to confirm.');
  }
  const files: (string | undefined)[] = [];
  for (const one of found) files.push(await offer(one, offers));
  await writeSettings(resolve(flags.config), { files, found, ledger, print, form: flags.form });
}

/** What would be moved and written, client by client. */
async function preview(found: readonly FoundClient[], offers: Offer): Promise<void> {
  const { context, flags } = offers;
  const print = (text: string): Promise<void> => write(context.io.stdout, `${text}\n`);
  for (const one of found) {
    if (one.isShared === true) {
      await print(describeShared(one));
      continue;
    }
    const plan = await planOrSay(one, offers);
    if (plan === undefined) continue;
    await print(
      `${one.client.name}: would move ${counted(plan.moved.length, 'server')} to ${dirname(plan.servers.path)}`,
    );
    for (const { name, why } of plan.left) await print(`  ${name} stays: ${oneLine(why, 200)}`);
  }
  const path = resolve(flags.config);
  await print(existsSync(path) ? `${path} exists and would be kept.` : `${path} would be written.`);
}

/** A project may share the file with other people, so it is changed only if its name is given. */
function describeShared({ client, file }: FoundClient): string {
  return `${file} belongs to a project and stays as it is. To move it too: quartermaster mcp install ${client.id} --file ${file}`;
}

/** Before the discount for cached prompts. */
function describeMoney({ tokens, deferredTokens, isDeferred }: ServerCosts, { price, requests }: InitFlags): string {
  const cost = (count: number): string => dollars((count * requests * price) / 1_000_000);
  const saved = Math.max(0, tokens - deferredTokens);
  return `At $${price} per million tokens and ${requests.toLocaleString('en-US')} requests a day, that is ${cost(tokens)} a day, of which deferral ${isDeferred ? 'saves' : 'would save'} ${cost(saved)}. Prompt caching lowers both.`;
}

interface Offer {
  readonly flags: InitFlags;
  readonly context: CommandContext;
  readonly places: Places;
  readonly ledger: Ledger;
}

/** Moves a client's servers if the user agrees. Returns the file that has them then. */
async function offer(found: FoundClient, offers: Offer): Promise<string | undefined> {
  const { client, file } = found;
  const { flags, context, ledger } = offers;
  const { io } = context;
  // A project's block is no file that the settings could name.
  const unmoved = client.project === undefined ? file : undefined;
  if (found.isShared === true) {
    await write(io.stdout, `${describeShared(found)}\n`);
    return file;
  }
  const plan = await planOrSay(found, offers);
  if (plan === undefined) return unmoved;
  if (flags.yes !== true && !(await confirm(io, `Move the servers of ${client.name} behind Quartermaster?`))) {
    const project = client.project === undefined ? '' : ` --project ${client.project}`;
    await write(io.stdout, `${client.name} was not changed. Later: quartermaster mcp install ${client.id}${project}\n`);
    return unmoved;
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
  { client, file }: FoundClient,
  { flags, context, places, ledger }: Offer,
): Promise<InstallPlan | undefined> {
  try {
    return planFor({ client, file, places, ledger, form: flags.form });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    await write(context.io.stdout, `${client.name} was not changed: ${error.message}\n`);
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
    form,
  }: {
    readonly files: readonly (string | undefined)[];
    readonly found: readonly FoundClient[];
    readonly ledger: Ledger;
    readonly print: (text: string) => Promise<void>;
    readonly form: InitFlags['form'];
  },
): Promise<void> {
  if (existsSync(path)) return print(`${path} exists and was kept.`);
  const lines = files.flatMap((file, index) =>
    file === undefined ? [] : [`  - ${JSON.stringify(file)} # ${found[index]?.client.name}\n`],
  );
  if (lines.length === 0) return;
  const text = `# The MCP servers of your clients, for every quartermaster command that you run in this folder.\n# Written by quartermaster init; quartermaster init --undo deletes it while it is unchanged.\nmcpConfig:\n${lines.join('')}${form === undefined ? '' : `mcp:\n  form: ${form}\n`}`;
  replaceFile(path, text);
  const written: Written = { path, hash: hashOf(text) };
  replaceFile(recordOf(ledger), `${JSON.stringify(written)}\n`);
  return print(`${path} was written. Restart your clients. To undo everything: quartermaster init --undo`);
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
  await write(
    io.stdout,
    `${written.path} ${isOurs ? 'was deleted' : 'was kept, because it has changed or no longer exists'}.\n`,
  );
}

function recordOf({ folder }: Ledger): string {
  return join(folder, 'settings-written.json');
}
