import { existsSync } from 'node:fs';
import type { Snapshot } from '@quartermaster/core';
import { applySearchHints, type SearchHints, SNAPSHOT_DEFAULTS } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { findPlaces } from '../clients/places.ts';
import { note, write } from '../command-io.ts';
import { type ReadTools, readTools } from '../input/index.ts';
import { InputError } from '../input-error.ts';
import { findSampleCatalog } from '../sample-catalog.ts';
import { dataFolder, ledgerFile } from '../serving/settings/data-folder.ts';
import { count, counted, oneLine, startProgress, wrap } from '../terminal/index.ts';
import type { CommandContext, CommandLine } from './command-line.ts';
import { wholeNumber } from './option-values.ts';

/** The options of every command that reads a catalog. */
export interface CatalogFlags {
  readonly tools?: readonly string[];
  /** Files with MCP servers; their tools are the catalog. */
  readonly mcpConfig?: readonly string[];
  /** The settings. @default those of the folder */
  readonly config?: string;
  readonly skipBad?: boolean;
  readonly maxTools: number;
  /** A file of search hints for the index. */
  readonly hints?: string;
  /** Whether to use the sample catalog even if the settings name servers. */
  readonly isSample?: true;
}

export function addCatalogOptions(command: CommandLine): CommandLine {
  return addToolsOptions(
    command,
    'start the MCP servers in these files and read their tools instead (default without --tools: the servers in ' +
      'quartermaster.yaml, else those that init moved; if there are none, the sample catalog)',
  ).option('-c, --config <file>', 'settings (default: QUARTERMASTER_CONFIG, else quartermaster.yaml if it exists)');
}

/** The same for a command that reads no other catalog than the named one. */
export function addNamedCatalogOptions(command: CommandLine): CommandLine {
  return addToolsOptions(command, 'start the MCP servers in these files and read their tools instead');
}

function addToolsOptions(command: CommandLine, aboutServers: string): CommandLine {
  return command
    .option('-t, --tools <file...>', 'catalogs: JSON or JSONL, also gzip; "-" is stdin')
    .servers(aboutServers)
    .option('--skip-bad', "skip tools that can't be read, and report how many")
    .option(
      '--max-tools <n>',
      'how many tools the catalog may have',
      wholeNumber(1, 5_000_000),
      SNAPSHOT_DEFAULTS.maxTools,
    );
}

/** Reads the catalog that the options name. Notices go to stderr, so that stdout has only the answer. */
export async function loadCatalog(flags: CatalogFlags, context: CommandContext): Promise<Snapshot> {
  const catalog = await readCatalog(flags, context);
  await reportSkipped(catalog, context);
  return catalog.snapshot;
}

/** A catalog, and what was left out of it. */
export type LoadedCatalog = ReadTools;

/** The same for a command that itself reports what was left out. */
export async function readCatalog(flags: CatalogFlags, context: CommandContext): Promise<LoadedCatalog> {
  const catalog = await readDefinitions(flags, context);
  if (flags.hints === undefined) return catalog;
  const { snapshot, hinted } = applySearchHints(catalog.snapshot, await loadHints(flags.hints));
  await note(context.io, `Search hints for ${hinted} of ${counted(snapshot.tools.length, 'tool')}.`);
  return { ...catalog, snapshot };
}

async function loadHints(path: string): Promise<SearchHints> {
  const { readHints } = await import('@quartermaster/host/config');
  try {
    return readHints(path);
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

async function readDefinitions(flags: CatalogFlags, context: CommandContext): Promise<LoadedCatalog> {
  const { tools, isSample } = flags;
  if (tools !== undefined && flags.mcpConfig !== undefined)
    throw new InputError('Give --tools or --mcp-config, not both');
  const isFree = (tools ?? flags.mcpConfig ?? isSample) === undefined;
  const settings = isFree ? await findServerSettings(flags, context) : undefined;
  const isInstalled = isFree && settings === undefined && hasInstalled(context);
  const { mcpConfig } = isInstalled
    ? await (await import('../clients/index.ts')).withInstalledServers(flags, context)
    : flags;
  if (mcpConfig === undefined && settings === undefined) return await loadFiles(flags, context);
  if (settings !== undefined) await note(context.io, `No --tools given: using the MCP servers in ${settings}.`);
  const snapshot = await loadServers({ ...flags, ...defined({ mcpConfig }) }, context);
  return { snapshot, skipped: [], skippedCount: 0, placeOf: () => undefined };
}

/** The settings file of this folder, if it names MCP servers. */
async function findServerSettings({ config: path }: CatalogFlags, { io }: CommandContext): Promise<string | undefined> {
  // Loading the settings reader takes a while, and most folders have no settings.
  const isNamed = path !== undefined || (io.env.QUARTERMASTER_CONFIG ?? '') !== '';
  if (!isNamed && !SETTINGS_FILES.some((name) => existsSync(name))) return undefined;
  const { loadSettings } = await import('../serving/settings/load-settings.ts');
  const { config, hasFile } = loadSettings(defined({ config: path }), io.env);
  const hasServers = Object.keys(config.mcpServers).length + config.unusableServers.length > 0;
  return hasFile && hasServers ? config.files[0] : undefined;
}

/** Looks only for the record: reading it loads much that most searches don't need. */
function hasInstalled({ io }: CommandContext): boolean {
  const { env } = io;
  return existsSync(ledgerFile(dataFolder({ env, home: findPlaces(env).home })));
}

/** The tools of every server that responds. One that doesn't is named on stderr. */
async function loadServers(
  { config, mcpConfig }: Pick<CatalogFlags, 'config' | 'mcpConfig'>,
  { io, terminal }: CommandContext,
): Promise<Snapshot> {
  const { measureConfigured } = await import('../serving/index.ts');
  const {
    costs,
    config: settings,
    snapshot,
  } = await measureConfigured(defined({ config, mcpConfig }), {
    io,
    onStart: (servers) => void io.stderr.write(`Starting ${counted(servers, 'server')}…\n`),
  });
  for (const { name, state, reason = 'no reason given' } of costs.servers) {
    if (state !== 'down') continue;
    const line = oneLine(`${name} does not respond: ${reason}`, MOST_CHARACTERS);
    await note(io, wrap(line, terminal.width, { hanging: 2, indent: 0 }));
  }
  const place = mcpConfig?.join(', ') ?? 'The settings';
  if (costs.servers.length === 0) {
    const only = Object.keys(settings.mcpServers).length > 0 ? 'the only server is Quartermaster itself' : 'no servers';
    const hint = mcpConfig === undefined ? '' : '. Without --mcp-config, the servers that init moved are used';
    throw new InputError(`${place}: ${only}${hint}`);
  }
  if (snapshot.tools.length === 0) throw new InputError(`${place}: no server lists any tools`);
  return snapshot;
}

async function loadFiles(flags: CatalogFlags, { io }: CommandContext): Promise<LoadedCatalog> {
  const progress = startProgress(io);
  const files = flags.tools ?? findSampleCatalog().tools;
  const read = await readTools(files, {
    stdin: io.stdin,
    skipBad: flags.skipBad,
    maxTools: flags.maxTools,
    onProgress: (tools) => progress.update('Tools read', tools),
  }).finally(() => progress.end());
  if (flags.tools === undefined) {
    const { snapshot } = read;
    const size = `${counted(snapshot.tools.length, 'tool')} of ${counted(snapshot.servers.length, 'service')}`;
    await note(io, `No --tools given: using the sample catalog (${size}).`);
  }
  return read;
}

async function reportSkipped({ skipped, skippedCount }: LoadedCatalog, { io }: CommandContext): Promise<void> {
  if (skippedCount > 0) {
    const shown = skipped.slice(0, SHOWN_WARNINGS).map((message) => `  ${message}\n`);
    const rest = skippedCount > shown.length ? `  … and ${count(skippedCount - shown.length)} more\n` : '';
    const what = `${counted(skippedCount, 'tool')} that can't be read or ${skippedCount === 1 ? 'is a duplicate' : 'are duplicates'}`;
    await write(io.stderr, `Left out ${what}:\n${shown.join('')}${rest}`);
  }
}

const SHOWN_WARNINGS = 5;
const MOST_CHARACTERS = 1_000;
const SETTINGS_FILES = ['quartermaster.yaml', 'quartermaster.yml'];
