import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { print } from '../command-io.ts';
import type { CommandContext, ProxyForm } from '../commands/index.ts';
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

interface InitFlags {
  /** The file to write. */
  readonly config: string;
  readonly yes?: true;
  /** Whether servers are started to measure their cost. */
  readonly cost: boolean;
  readonly context: number;
  /** Dollars per million input tokens. */
  readonly price: number;
  /** Requests per day. */
  readonly requests: number;
  readonly undo?: true;
  readonly dryRun?: true;
  readonly form?: ProxyForm;
}

/** Finds the servers of all clients, shows their cost and moves them behind Quartermaster; or undoes it. */
export async function initialize(flags: InitFlags, context: CommandContext): Promise<void> {
  const { io, terminal, exit } = context;
  const places = findPlaces(io.env);
  const ledger = ledgerOf(places);
  if (flags.undo === true) return undo(ledger, context);
  const found = await findClients(places, context, process.cwd());
  if (found.length === 0 && ledger.list().length > 0) {
    await print(io, 'All servers of your clients are behind Quartermaster. Check them with: quartermaster doctor');
    if (flags.form === undefined) return;
    return print(io, '--form changes nothing now. To choose another form, first run: quartermaster init --undo');
  }
  if (found.length === 0) {
    exit(EXIT.nothingFound);
    return print(
      io,
      'No MCP servers found in the configuration files of your clients. If yours are in another file: quartermaster inspect --mcp-config FILE',
    );
  }
  for (const { client, file, servers } of found) {
    const what = `${terminal.paint.bold(client.name)}: ${counted(servers.length, 'server')} in ${file}: ${servers.join(', ')}`;
    await print(io, wrap(what, terminal.width, { hanging: 2 }));
  }
  const canAsk = flags.yes === true || io.stdin.isTTY === true;
  const offers: Offer = { flags, context, places, ledger, isPreview: flags.dryRun === true || !canAsk };
  if (flags.cost) await printCosts(found, offers);
  const files: ServersFile[] = [];
  for (const one of found) {
    const file = await offer(one, offers, files);
    if (file !== undefined) files.push({ file, client: one.client.name });
  }
  if (files.length > 0 || offers.isPreview) await offerSettings(files, offers);
  if (flags.dryRun === true) return print(io, 'Nothing was changed (--dry-run).');
  if (!canAsk) {
    throw new InputError('Nothing was changed: there is no terminal to ask for confirmation. Add --yes to confirm.');
  }
}

/** Each client by itself: none of them sends another's tools. */
async function printCosts(found: readonly FoundClient[], { flags, context }: Offer): Promise<void> {
  const { io, terminal } = context;
  const measured = startAhead(found, (one) => measureClient(one, { io, context: flags.context, form: flags.form }));
  let isBrief = false;
  for (const [index, { label }] of found.entries()) {
    const costs = await measured[index];
    if (costs === undefined) continue;
    await print(io, `\n${terminal.paint.bold(label)}\n${renderCosts(costs, terminal, { isBrief })}`);
    if (costs.tokens > 0) await print(io, `\n${wrap(describeMoney(costs, flags, isBrief), terminal.width)}`);
    isBrief ||= costs.tools > 0;
  }
  await print(io, '');
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

/** Sentences with paths and commands break between words in a terminal, and stay whole in a pipe. */
function pathWidth({ io, terminal }: CommandContext): number {
  return io.stdout.isTTY === true ? terminal.width : Number.POSITIVE_INFINITY;
}

/** A line, or a note below it. */
function say(context: CommandContext, text: string, indent = 0): Promise<void> {
  return print(context.io, wrap(text, pathWidth(context), { indent, hanging: indent + 2 }));
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
  /** Whether to say what would change, and change nothing. */
  readonly isPreview: boolean;
}

/** Moves a client's servers if the user agrees. Returns the file that has them then, if the settings can name it. */
async function offer(found: FoundClient, offers: Offer, earlier: readonly ServersFile[]): Promise<string | undefined> {
  const { client, file, label, install } = found;
  const { flags, context, places, ledger, isPreview } = offers;
  if (found.isShared === true) {
    // A project may share the file with other people, so it is changed only if it is named.
    const how = `To move it too: quartermaster mcp install ${install}`;
    await say(context, `${file} belongs to a project and stays as it is. ${how}`);
    return file;
  }
  // A project's block is not a file that the settings could name.
  const unmoved = client.project === undefined ? file : undefined;
  const taken = earlier.map((one) => one.file);
  const plan = await orSay(found, offers, () => planFor({ client, file, places, ledger, form: flags.form, taken }));
  if (plan === undefined) return unmoved;
  const servers = counted(plan.moved.length, 'server');
  if (isPreview) {
    await say(context, `${label}: would move ${servers} to ${plan.servers.path}`);
  } else {
    const question = wrap(`Move the servers of ${label} behind Quartermaster?`, context.terminal.width);
    if (flags.yes !== true && !(await confirm(context.io, question))) {
      await say(context, `${label} was not changed. Later: quartermaster mcp install ${install}`);
      return unmoved;
    }
    const done = await orSay(found, offers, () => applyInstall(plan, ledger, new Date()));
    if (done === undefined) return unmoved;
    const backup = `backup in the same folder: ${basename(done.backup)}`;
    await say(context, `${label}: ${servers} moved to ${plan.servers.path}; ${backup}`);
  }
  for (const { name, why } of plan.left) await say(context, `${name} stays: ${oneLine(why, 200)}`, 2);
  if (isPreview) return plan.servers.path;
  for (const { server, message } of plan.notes) await say(context, `${server}: ${oneLine(message, 200)}`, 2);
  if (plan.remark !== undefined) await say(context, plan.remark, 2);
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
    await say(context, `${label} was not changed: ${error.message}`);
    return undefined;
  }
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

async function offerSettings(files: readonly ServersFile[], offers: Offer): Promise<void> {
  const { context, ledger, isPreview } = offers;
  const plan = planSettings(settingsOptions(files, offers));
  if (!isPreview) applySettings(plan, ledger);
  const text = describeSettings(plan, isPreview);
  if (isPreview) return print(context.io, text);
  const next = 'Restart your clients. To undo everything: quartermaster init --undo';
  if (!text.includes('\n')) return say(context, `${text} ${next}`);
  return print(context.io, `${text}\n${wrap(next, pathWidth(context))}`);
}

/** What happens to the settings, and what a person has to write into a block `mcp` that has no form, or another one. */
function describeSettings(plan: SettingsPlan, isPreview: boolean): string {
  const { path, kind } = plan;
  const lines = kind === 'extend' || kind === 'by hand' ? `\n${plan.lines.trimEnd()}` : '';
  const form = 'form' in plan ? plan.form : undefined;
  const byHand =
    form === undefined
      ? ''
      : `\nTo use the form ${form} in this folder, set it in ${path}:\n${formLines(form).trimEnd()}`;
  return `${path} ${SETTINGS_NEWS[kind][isPreview ? 'would' : 'did']}${lines}${byHand}`;
}

const BY_HAND = 'To use the servers in this folder, add these lines to it:';
const SETTINGS_NEWS: Readonly<Record<SettingsPlan['kind'], { readonly would: string; readonly did: string }>> = {
  write: { would: 'would be written.', did: 'was written.' },
  extend: { would: 'would get these lines:', did: 'now has these lines:' },
  'by hand': { would: `would be kept. ${BY_HAND}`, did: `was kept. ${BY_HAND}` },
  complete: {
    would: 'already names these files and would be kept.',
    did: 'already names these files and was kept.',
  },
};

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
    await print(context.io, `${path} ${how}.${left}`);
  }
}
