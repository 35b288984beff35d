import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { write } from '../command-io.ts';
import type { CommandContext, InitFlags } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { renderCosts, type ServerCosts, userStore } from '../serving/index.ts';
import { confirm, counted, dollars, oneLine, wrap } from '../terminal/index.ts';
import { applyInstall } from './apply-install.ts';
import { type FoundClient, findClients } from './find-clients.ts';
import { ledgerOf, planFor, uninstallClients } from './install-client.ts';
import { CLIENTS } from './known-clients.ts';
import type { Ledger } from './ledger.ts';
import { measureClient } from './measure-client.ts';
import { findPlaces, type Places } from './places.ts';
import type { InstallPlan } from './plan-install.ts';
import {
  applySettings,
  formLines,
  hasSettingsToUndo,
  planSettings,
  type ServersFile,
  type SettingsOptions,
  type SettingsPlan,
  undoSettings,
} from './settings-file.ts';

/** Finds the servers of all clients, shows their cost and moves them behind Quartermaster; or undoes it. */
export async function initialize(flags: InitFlags, context: CommandContext): Promise<void> {
  const { io, terminal, exit } = context;
  const print = (text: string): Promise<void> => write(io.stdout, `${text}\n`);
  const places = findPlaces(io.env);
  const ledger = ledgerOf(places);
  if (flags.undo === true) return undo(ledger, context);
  const found = await findClients(places, context, process.cwd());
  if (found.length === 0 && ledger.list().length > 0) {
    await print('All servers of your clients are behind Quartermaster. Check them with: quartermaster doctor');
    if (flags.form === undefined) return;
    await print('--form changes nothing now. To choose another form, first run: quartermaster init --undo');
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
    const measured = startAhead(found, (one) => measureClient(one, { io, context: flags.context, form: flags.form }));
    let isBrief = false;
    for (const [index, one] of found.entries()) {
      const costs = await measured[index];
      if (costs !== undefined) await print(`\n${renderClientCosts(one, costs, { ...offers, isBrief })}`);
      isBrief ||= costs !== undefined && costs.tools > 0;
    }
    await print('');
  }
  const canAsk = flags.yes === true || io.stdin.isTTY === true;
  if (flags.dryRun === true || !canAsk) {
    await preview(found, offers);
    if (flags.dryRun === true) return print('Nothing was changed (--dry-run).');
    throw new InputError('Nothing was changed: there is no terminal to ask for confirmation. Add --yes to confirm.');
  }
  const files: ServersFile[] = [];
  for (const one of found) {
    const file = await offer(one, offers);
    if (file !== undefined) files.push({ file, client: one.client.name });
  }
  if (files.length > 0) await writeSettings(files, offers);
}

/** Starts the work on a few items ahead of time, so that a server that hangs delays no other client. */
function startAhead<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): readonly Promise<Result>[] {
  const started: Promise<Result>[] = [];
  for (const [index, item] of items.entries()) {
    const earlier = started[index - MOST_AT_ONCE]?.catch(() => undefined) ?? Promise.resolve();
    const own = earlier.then(() => act(item));
    // A failure is reported when its turn comes.
    own.catch(() => undefined);
    started.push(own);
  }
  return started;
}

const MOST_AT_ONCE = 4;

/** Each client by itself: none of them sends another's tools. */
function renderClientCosts(
  { label }: FoundClient,
  costs: ServerCosts,
  { flags, context, isBrief }: Offer & { readonly isBrief: boolean },
): string {
  const { terminal } = context;
  const money = costs.tokens === 0 ? [] : ['', wrap(describeMoney(costs, flags, isBrief), terminal.width)];
  return [terminal.paint.bold(label), renderCosts(costs, terminal, { isBrief }), ...money].join('\n');
}

/** What would be moved and written, client by client. */
async function preview(found: readonly FoundClient[], offers: Offer): Promise<void> {
  const { context } = offers;
  const print = (text: string): Promise<void> => write(context.io.stdout, `${text}\n`);
  const width = pathWidth(context);
  const files: ServersFile[] = [];
  for (const one of found) {
    if (one.isShared === true) {
      await print(describeShared(one, width));
      files.push({ file: one.file, client: one.client.name });
      continue;
    }
    const plan = await planOrSay(
      one,
      offers,
      files.map(({ file }) => file),
    );
    const file = plan?.servers.path ?? unmovedFile(one);
    if (file !== undefined) files.push({ file, client: one.client.name });
    if (plan === undefined) continue;
    const to = `would move ${counted(plan.moved.length, 'server')} to ${plan.servers.path}`;
    await print(wrap(`${one.label}: ${to}`, width, { hanging: 2 }));
    for (const { name, why } of plan.left) await print(describeLeft(name, why, width));
  }
  const plan = planSettings(settingsOptions(files, offers));
  const would = {
    write: () => 'would be written.',
    extend: (lines: string) => `would get these lines:\n${lines}`,
    'by hand': (lines: string) => `would be kept. ${describeLines(lines)}\n`,
    complete: () => 'already names these files and would be kept.',
  }[plan.kind]('lines' in plan ? plan.lines : '');
  await print(`${plan.path} ${would.trimEnd()}${describeForm(plan).trimEnd()}`);
}

/** What to write into a block `mcp` that has no form, or another one. */
function describeForm(plan: SettingsPlan): string {
  const form = 'form' in plan ? plan.form : undefined;
  return form === undefined
    ? ''
    : `\nTo use the form ${form} in this folder, set it in ${plan.path}:\n${formLines(form)}`;
}

/** A project's block is not a file that the settings could name. */
function unmovedFile({ client, file }: FoundClient): string | undefined {
  return client.project === undefined ? file : undefined;
}

function describeLines(lines: string): string {
  return `To use the servers in this folder, add these lines to it:\n${lines.trimEnd()}`;
}

/** A project may share the file with other people, so it is changed only if it is named. */
function describeShared({ file, install }: FoundClient, width: number): string {
  const text = `${file} belongs to a project and stays as it is. To move it too: quartermaster mcp install ${install}`;
  return wrap(text, width, { hanging: 2 });
}

/** Sentences with paths and commands break between words in a terminal, and stay whole in a pipe. */
function pathWidth({ io, terminal }: CommandContext): number {
  return io.stdout.isTTY === true ? terminal.width : Number.POSITIVE_INFINITY;
}

function describeLeft(name: string, why: string, width: number): string {
  return wrap(`${name} stays: ${oneLine(why, 200)}`, width, { indent: 2, hanging: 4 });
}

/** Without the discount for cached prompts. */
function describeMoney(
  { tokens, deferredTokens, isDeferred }: ServerCosts,
  { price, requests }: InitFlags,
  isBrief: boolean,
): string {
  const cost = (count: number): string => dollars((count * requests * price) / 1_000_000);
  const saved = Math.max(0, tokens - deferredTokens);
  const spent = `that is ${cost(tokens)} a day`;
  const saves = saved === 0 ? '' : `, of which deferral ${isDeferred ? 'saves' : 'would save'} ${cost(saved)}`;
  if (isBrief) return `T${spent.slice(1)}${saves}.`;
  const rate = `At $${price} per million tokens and ${counted(requests, 'request')} a day`;
  return `${rate}, ${spent}${saves}. Prompt caching lowers ${saved === 0 ? 'it' : 'both'}.`;
}

interface Offer {
  readonly flags: InitFlags;
  readonly context: CommandContext;
  readonly places: Places;
  readonly ledger: Ledger;
}

/** Moves a client's servers if the user agrees. Returns the file that has them now. */
async function offer(found: FoundClient, offers: Offer): Promise<string | undefined> {
  const { file, label, install } = found;
  const { flags, context, ledger } = offers;
  const { io } = context;
  const width = pathWidth(context);
  const print = (text: string): Promise<void> => write(io.stdout, `${text}\n`);
  const unmoved = unmovedFile(found);
  if (found.isShared === true) {
    await print(describeShared(found, width));
    return file;
  }
  const plan = await planOrSay(found, offers);
  if (plan === undefined) return unmoved;
  const question = `Move the servers of ${label} behind Quartermaster?`;
  if (flags.yes !== true && !(await confirm(io, wrap(question, context.terminal.width)))) {
    const later = `${label} was not changed. Later: quartermaster mcp install ${install}`;
    await print(wrap(later, width, { hanging: 2 }));
    return unmoved;
  }
  const done = await orSay(found, offers, () => applyInstall(plan, ledger, new Date()));
  if (done === undefined) return unmoved;
  const what = `${label}: ${counted(plan.moved.length, 'server')} moved to ${plan.servers.path}; backup beside it: ${basename(done.backup)}`;
  await print(wrap(what, width, { hanging: 2 }));
  for (const { name, why } of plan.left) await print(describeLeft(name, why, width));
  for (const { server, message } of plan.notes) {
    await print(wrap(`${server}: ${oneLine(message, 200)}`, width, { indent: 2, hanging: 4 }));
  }
  return plan.servers.path;
}

/** A client whose file can't be changed doesn't stop the others. */
async function orSay<Result>(
  { label }: FoundClient,
  { context }: Offer,
  act: () => Result,
): Promise<Result | undefined> {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const text = `${label} was not changed: ${error.message}`;
    await write(context.io.stdout, `${wrap(text, pathWidth(context), { hanging: 2 })}\n`);
    return undefined;
  }
}

function planOrSay(found: FoundClient, offers: Offer, taken: readonly string[] = []): Promise<InstallPlan | undefined> {
  const { client, file } = found;
  const { flags, places, ledger } = offers;
  return orSay(found, offers, () => planFor({ client, file, places, ledger, form: flags.form, taken }));
}

/** The files of this run, and those of earlier ones: the settings are for all servers of the clients. */
function settingsOptions(files: readonly ServersFile[], { flags, places, ledger }: Offer): SettingsOptions {
  const earlier = ledger.list().filter(({ servers }) => !files.some(({ file }) => file === servers.path));
  const others = earlier
    .filter(({ servers }) => existsSync(servers.path))
    .map(({ client, servers }) => ({ file: servers.path, client: nameOf(client) }));
  return { path: resolve(flags.config), files: [...others, ...files], form: flags.form, store: userStore(places) };
}

function nameOf(id: string): string {
  return CLIENTS.find((client) => client.id === id)?.name ?? id;
}

async function writeSettings(files: readonly ServersFile[], offers: Offer): Promise<void> {
  const { context, ledger } = offers;
  const plan = planSettings(settingsOptions(files, offers));
  applySettings(plan, ledger);
  const done = {
    write: () => 'was written.',
    extend: (lines: string) => `now has these lines:\n${lines}`,
    'by hand': (lines: string) => `was kept. ${describeLines(lines)}\n`,
    complete: () => 'already names these files and was kept.',
  }[plan.kind]('lines' in plan ? plan.lines : '');
  const next = 'Restart your clients. To undo everything: quartermaster init --undo';
  const text = `${done.trimEnd()}${describeForm(plan)}`;
  const width = pathWidth(context);
  const told = text.includes('\n')
    ? `${plan.path} ${text.trimEnd()}\n${wrap(next, width)}`
    : wrap(`${plan.path} ${text.trimEnd()} ${next}`, width, { hanging: 2 });
  await write(context.io.stdout, `${told}\n`);
}

async function undo(ledger: Ledger, context: CommandContext): Promise<void> {
  const hasSettings = hasSettingsToUndo(ledger);
  if (!hasSettings || ledger.list().length > 0) await uninstallClients(undefined, {}, context);
  for (const { path, kind, missing } of undoSettings(ledger)) {
    const how = {
      deleted: 'was deleted',
      restored: 'was restored',
      kept: 'was kept, because it has changed since',
      gone: 'no longer exists',
    }[kind];
    const left =
      missing.length === 0 ? '' : ` Remove these files from its mcpConfig, they no longer exist: ${missing.join(', ')}`;
    await write(context.io.stdout, `${path} ${how}.${left}\n`);
  }
}
