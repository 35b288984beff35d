import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readEnableToolSearch } from '@quartermaster/core';
import { isJsonObject, type JsonObject, type SearchHints } from '@quartermaster/core/catalog';
import { SettingError } from '@quartermaster/core/errors';
import { DEFAULT_GATE_SETTINGS, type GateRule } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import type { StoreLocation } from '../store/index.ts';
import type { Config, DeferralSource, IndexCacheSettings, McpServerSettings, UnusableServer } from './config.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { CONFIG_SHAPE, type ConfigDocument } from './config-shape.ts';
import type { Environment } from './expand-variables.ts';
import { findServers, withoutComments } from './foreign-servers.ts';
import { type ConfigFlags, listOverrides } from './overrides.ts';
import { parseSource, readDocument } from './read-document.ts';
import { readHints } from './read-hints.ts';
import { type InputAnswers, type ReadServers, type ReadServersOptions, readServers } from './read-servers.ts';
import { readSettings } from './read-settings.ts';

/** Where the configuration comes from. */
export interface LoadConfigOptions {
  /** The file. @default QUARTERMASTER_CONFIG, else `quartermaster.yaml` or `quartermaster.yml` in the folder, else none */
  readonly path?: string;
  /** The base of relative paths that are not in a file. @default the process's folder */
  readonly folder?: string;
  readonly env: Environment;
  readonly flags?: ConfigFlags;
  /** Stored answers to the inputs of files. @default none */
  readonly answers?: InputAnswers;
}

const PINS_WITHOUT_USE =
  'tools.pins is auto, which pins what is used most, but usage.learn is off; set it to counts or vectors';

const FILE_NAMES = ['quartermaster.yaml', 'quartermaster.yml'];

/**
 * Reads the settings: the file, overridden by the environment and then by the flags. Throws one `ConfigError` with all mistakes.
 * A server that can't be used is not a reason to throw: it is in `unusableServers`.
 */
export function loadConfig(given: LoadConfigOptions): Config {
  const { env, flags = {}, folder = process.cwd() } = given;
  const file = findFile(given.path ?? env.QUARTERMASTER_CONFIG, folder);
  const main = file === undefined ? parseSource('defaults', '') : readDocument(file);
  const base = file === undefined ? folder : dirname(file);
  const problems: ConfigProblem[] = [];
  const own = findServers(isJsonObject(main.value) ? { mcpServers: main.value.mcpServers } : undefined);
  const document = readSettings(CONFIG_SHAPE, {
    // Servers are read one by one below.
    document: own === undefined ? main : { ...main, value: { ...(main.value as JsonObject), mcpServers: {} } },
    env,
    problems,
    overrides: listOverrides({ env, flags, folder }),
  });
  const others = (document?.mcpConfig ?? []).map((name) => resolve(base, name));
  const options = { env, answers: given.answers ?? (() => undefined) };
  const read = [
    ...(own === undefined ? [] : [readServers({ ...options, document: main, block: own, isOurs: true })]),
    ...others.flatMap((other) => readFile(other, { ...options, problems }) ?? []),
  ];
  const rule = readRule(env, problems);
  // If there are problems, parts of the document may be missing.
  const { search: readSearch, store: readStore, tools: readTools, usage }: Partial<ConfigDocument> = document ?? {};
  const hints = readSearch?.hints === undefined ? undefined : loadHints(resolve(base, readSearch.hints), problems);
  if (readSearch !== undefined && readStore !== undefined)
    checkBackend({ search: readSearch, store: readStore }, file ?? 'defaults', problems);
  if (readTools?.pins === 'auto' && usage?.learn === 'off') {
    problems.push({ source: file ?? 'defaults', path: 'tools.pins', message: PINS_WITHOUT_USE });
  }
  if (document === undefined || problems.length > 0) {
    throw new ConfigError([...problems, ...read.flatMap(({ unusable }) => unusable.flatMap((one) => one.problems))]);
  }

  const { store, tools, mcpConfig, deferral, search, ...rest } = document;
  const { tool_search, pins, policies, listing_tokens: listingTokens } = tools;
  const gate = { ...(tool_search ?? DEFAULT_GATE_SETTINGS), ...defined({ rule }), pins: pins === 'auto' ? [] : pins };
  const source =
    rule !== undefined ? 'ENABLE_TOOL_SEARCH' : tool_search !== undefined ? 'tools.tool_search' : 'default';
  return {
    ...rest,
    search: {
      ...{ engine: search.engine, backend: search.backend, whenNothingFits: search.whenNothingFits },
      cache: placeCache(search.cache, base),
      ...defined({ hints }),
    },
    ...chooseDeferral(deferral, { rule: gate.rule, source }),
    store: {
      location: readLocation(store, base),
      encryptionKeys: store.encryptionKey ?? [],
      auditDays: store.auditDays,
    },
    ...mergeServers(read),
    tools: { gate, policies: { patterns: policies }, listingTokens, autoPins: pins === 'auto' },
    files: [...(file === undefined ? [] : [file]), ...others],
  };
}

/** A relative folder is relative to the settings file. */
function placeCache(cache: IndexCacheSettings, base: string): IndexCacheSettings {
  return cache.folder === undefined ? cache : { ...cache, folder: resolve(base, cache.folder) };
}

/** A gate in the settings applies to every client unless `deferral` says otherwise. */
function chooseDeferral(
  given: Config['deferral'] | undefined,
  gate: { readonly rule: GateRule; readonly source: Exclude<DeferralSource, 'deferral'> },
): Pick<Config, 'deferral' | 'deferralSource'> {
  if (given !== undefined) return { deferral: given, deferralSource: 'deferral' };
  const isMeant = gate.source !== 'default' && gate.rule.kind !== 'off';
  return { deferral: isMeant ? 'auto' : 'as-requested', deferralSource: gate.source };
}

function findFile(given: string | undefined, folder: string): string | undefined {
  if (given !== undefined && given !== '') return resolve(folder, given);
  return FILE_NAMES.map((name) => resolve(folder, name)).find((name) => existsSync(name));
}

/** Another program's file: only its servers are checked. */
function readFile(
  file: string,
  { env, answers, problems }: Pick<ReadServersOptions, 'env' | 'answers'> & { readonly problems: ConfigProblem[] },
): ReadServers | undefined {
  try {
    const document = readDocument(file, /\.jsonc?$/.test(file) ? withoutComments : undefined);
    const block = findServers(document.value);
    if (block !== undefined) return readServers({ document, block, env, answers, isOurs: false });
    problems.push({ source: file, path: '', message: NO_BLOCK });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
  }
  return undefined;
}

/** The first file that names a server decides about it, whether its entry is usable or not. */
function mergeServers(
  files: readonly ReadServers[],
): Pick<Config, 'mcpServers' | 'serverFiles' | 'unusableServers' | 'notes' | 'inputs'> {
  const mcpServers: Record<string, McpServerSettings> = Object.create(null);
  const serverFiles = new Map<string, string>();
  const unusableServers: UnusableServer[] = [];
  const notes = files.flatMap((file) => file.notes);
  for (const { source, servers, unusable } of files) {
    const isNew = (name: string): boolean =>
      !Object.hasOwn(mcpServers, name) && unusableServers.every((one) => one.name !== name);
    const [usable, others] = [[...servers].filter(([name]) => isNew(name)), unusable.filter(({ name }) => isNew(name))];
    for (const [name, settings] of servers) {
      if (isNew(name) || isSameServer(mcpServers[name], settings)) continue;
      notes.push({ server: name, source, message: ignoredIn(source), ignored: {} });
    }
    for (const { name, reason } of unusable) {
      if (isNew(name)) continue;
      const message = `${ignoredIn(source)}, and can't be used: ${reason}`;
      notes.push({ server: name, source, message, ignored: { reason } });
    }
    for (const [name, settings] of usable) {
      mcpServers[name] = settings;
      serverFiles.set(name, source);
    }
    unusableServers.push(...others.map(({ problems: _, ...rest }) => rest));
  }
  return {
    ...{ mcpServers, serverFiles, unusableServers },
    notes,
    inputs: files.flatMap(({ inputs }) => inputs),
  };
}

function ignoredIn(source: string): string {
  return `the entry in ${source} is ignored, because an earlier file has a server of that name`;
}

/** Clients write defaults differently: with `type: stdio`, with empty `args` and `env`, or without them. */
function isSameServer(one: McpServerSettings | undefined, other: McpServerSettings): boolean {
  return one !== undefined && isDeepStrictEqual(withoutDefaults(one), withoutDefaults(other));
}

function withoutDefaults(settings: McpServerSettings): object {
  const isDefault = ([key, value]: [string, unknown]): boolean =>
    (key === 'type' && value === 'stdio') ||
    ((key === 'args' || key === 'env') && Object.keys(value as object).length === 0);
  return Object.fromEntries(Object.entries(settings).filter((entry) => !isDefault(entry)));
}

function loadHints(file: string, problems: ConfigProblem[]): SearchHints | undefined {
  try {
    return readHints(file);
  } catch (error) {
    problems.push({ source: file, path: 'search.hints', message: (error as Error).message });
    return undefined;
  }
}

const NO_BLOCK =
  'The document has no block of servers: mcpServers, servers (VS Code), context_servers (Zed), mcp_servers (Codex) or mcp (opencode)';

function readLocation({ path, url }: ConfigDocument['store'], base: string): StoreLocation {
  if (url !== undefined) return { url };
  return { path: path === ':memory:' ? path : resolve(base, path) };
}

/** What the index in PostgreSQL needs, and what it can't use. */
function checkBackend(
  { search, store }: Pick<ConfigDocument, 'search' | 'store'>,
  source: string,
  problems: ConfigProblem[],
): void {
  if (search.backend !== 'postgres') return;
  const path = 'search.backend';
  const note = (why: string): void => {
    problems.push({ source, path, message: `search.backend postgres ${why}` });
  };
  if (store.url === undefined) note('needs a PostgreSQL store; set store.url or DATABASE_URL');
  if (search.engine === 'bm25')
    note('searches by keywords and embeddings; set search.engine to auto, hybrid or hybrid+reranker');
  if (search.hints !== undefined) note('does not use search.hints; remove them, or set search.backend to memory');
}

/** `ENABLE_TOOL_SEARCH`, as in the agent SDK, decides if it is set; limits and pins stay. */
function readRule(env: Environment, problems: ConfigProblem[]): GateRule | undefined {
  const value = env.ENABLE_TOOL_SEARCH;
  if (value === undefined || value === '') return undefined;
  try {
    return readEnableToolSearch(value).rule;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    problems.push({ source: 'ENABLE_TOOL_SEARCH', path: 'tools.tool_search', message: error.message });
    return undefined;
  }
}
