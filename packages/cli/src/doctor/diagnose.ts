import type { Searcher, Snapshot } from '@quartermaster/core';
import type { Config } from '@quartermaster/host/config';
import { findPlaces } from '../clients/index.ts';
import { print } from '../command-io.ts';
import { type CommandContext, type DoctorFlags, findTools, readCatalog, similarNames } from '../commands/index.ts';
import { createSearcher, prepareSearcher } from '../create-searcher.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { configuredEngine, loadSettings, measureConfigured } from '../serving/index.ts';
import { counted, renderHits, renderStanding, startProgress, whileShowing, wrap } from '../terminal/index.ts';
import { type Check, renderChecks } from './check.ts';
import { checkClient } from './check-client.ts';
import { checkReach } from './check-reach.ts';
import { checkDeferral, checkEngine, checkIgnored, checkServers } from './check-serving.ts';
import { checkCache, checkSharing, checkStore } from './check-store.ts';

/** Checks everything that decides whether tools are deferred and found. Changes nothing, apart from what starting servers changes. */
export async function diagnose(flags: DoctorFlags, context: CommandContext): Promise<void> {
  const { io, terminal, exit } = context;
  const { config } = loadSettings(flags, io.env);
  const progress = startProgress(io);
  progress.announce('Checking the installation');
  const checks: Check[] = [await checkEngine(config)];
  const stored = await checkStore(config);
  const isStoreUsable = stored.every(({ area, status }) => area !== 'store' || status !== 'problem');
  const {
    costs,
    snapshot,
    files,
    config: answered,
  } = await startServers(isStoreUsable ? flags : { ...flags, store: ':memory:' }, context, () => progress.end());
  checks.push(
    checkDeferral(snapshot, costs, { config, files }),
    ...checkServers(costs, config),
    ...checkIgnored(answered),
    ...checkClient(findPlaces(io.env)),
    ...stored,
    ...checkSharing(config.store, findPlaces(io.env)),
    checkCache(config, io.env),
    ...(isStoreUsable ? await checkReach(config) : []),
  );
  progress.end();
  const problems = checks.filter(({ status }) => status === 'problem').length;
  const text =
    flags.json === true ? JSON.stringify({ problems, checks, costs }, null, 2) : renderChecks(checks, terminal);
  await print(io, text);
  if (problems > 0) exit(EXIT.findings);
}

/** Why a request finds a tool, or doesn't: with the engine of the settings, over the tools of servers or files. */
export async function diagnoseRequest(query: string, flags: DoctorFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  const { config } = loadSettings(flags, io.env);
  const { snapshot, missingServers } = await findCatalog(flags, config, context);
  if (snapshot.tools.length === 0) {
    throw new InputError('No server lists any tools. Run quartermaster doctor without a request to see why.');
  }
  const searcher = await whileShowing(io, 'Loading the search engine', async () => {
    const { engine } = await configuredEngine(config.search);
    return await createSearcher(engine, snapshot);
  });
  await prepareSearcher(searcher, snapshot, io);
  const isJson = flags.json === true;
  await explainTool({ query, label: flags.tool, snapshot, searcher, missingServers, isJson }, context);
}

/** The tools of the servers, of the named files, or otherwise the sample catalog. */
async function findCatalog(
  flags: DoctorFlags,
  { mcpServers, unusableServers }: Pick<Config, 'mcpServers' | 'unusableServers'>,
  context: CommandContext,
) {
  const hasServers = Object.keys(mcpServers).length + unusableServers.length > 0;
  if (flags.tools !== undefined || !hasServers) {
    const sample = flags.tools === undefined && flags.mcpConfig === undefined ? { isSample: true as const } : {};
    return { ...(await readCatalog({ ...flags, ...sample }, context)), missingServers: [] };
  }
  const { snapshot, costs } = await startServers(flags, context);
  const missingServers = costs.servers.filter(({ state }) => state === 'down').map(({ name }) => name);
  return { snapshot, missingServers };
}

async function startServers(
  flags: DoctorFlags,
  { io }: CommandContext,
  onStart?: () => void,
): ReturnType<typeof measureConfigured> {
  return await measureConfigured(flags, {
    io,
    onStart(servers) {
      onStart?.();
      if (flags.json !== true) io.stderr.write(`Starting ${counted(servers, 'server')}…\n`);
    },
  });
}

interface ToolQuestion {
  readonly query: string;
  readonly label: string | undefined;
  readonly snapshot: Snapshot;
  readonly searcher: Searcher;
  /** Servers whose tools are missing from the catalog. */
  readonly missingServers: readonly string[];
  readonly isJson: boolean;
}

/** Says whether a request finds a tool and why, then what is found instead. */
async function explainTool(question: ToolQuestion, { io, terminal, exit }: CommandContext): Promise<void> {
  const { query, label, snapshot, searcher, missingServers, isJson } = question;
  const result = await whileShowing(io, 'Searching', () => searcher.search({ query }));
  const tools = label === undefined ? [] : findOrNone(label, snapshot);
  const standings = [];
  for (const tool of tools) standings.push({ tool, standing: await searcher.explain({ query }, tool) });
  const isFound =
    label === undefined ? result.verdict === 'match' : standings.some(({ standing }) => standing.kind === 'listed');
  if (isJson) {
    const answer = {
      query,
      found: isFound,
      standings: standings.map(({ tool, standing }) => ({ tool: tool.id, ...standing })),
      hits: result.hits.map(({ tool, score }) => ({ id: tool.id, score })),
      ...(label !== undefined && tools.length === 0 ? { nearest: similarNames(label, snapshot), missingServers } : {}),
    };
    await print(io, JSON.stringify(answer, null, 2));
  } else {
    const parts = standings.map(({ tool, standing }) => renderStanding(tool, standing, terminal));
    if (label !== undefined && tools.length === 0)
      parts.push(wrap(describeUnknown(label, question), terminal.width, { hanging: 2 }));
    if (!isFound || label === undefined) parts.push(`What is found for it:\n${renderHits(result, terminal)}`);
    if (!isFound && tools.length > 0) parts.push(wrap(FIX, terminal.width, { hanging: 2 }));
    await print(io, parts.join('\n\n'));
  }
  if (!isFound) exit(EXIT.findings);
}

function findOrNone(label: string, snapshot: Snapshot): ReturnType<typeof findTools> {
  try {
    return findTools(label, snapshot);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

function describeUnknown(label: string, { snapshot, missingServers }: ToolQuestion): string {
  const near = similarNames(label, snapshot);
  return [
    `${JSON.stringify(label)} is not found: no tool of the catalog has this name.`,
    ...(near.length === 0 ? [] : [`Similar names: ${near.join(', ')}.`]),
    ...(missingServers.length === 0 ? [] : [`These servers do not respond: ${missingServers.join(', ')}.`]),
  ].join(' ');
}

const FIX =
  'Fix: put the words of such requests into the first sentence of its description. quartermaster lint checks all tools of a catalog.';
