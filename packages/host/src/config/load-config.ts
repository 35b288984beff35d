import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  DEFAULT_GATE_SETTINGS,
  type GateRule,
  isJsonObject,
  readEnableToolSearch,
  SettingError,
} from '@quartermaster/core';
import type { StoreLocation } from '../store/index.ts';
import type { Config, DeferralSource, McpServerSettings } from './config.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { CONFIG_SHAPE, type ConfigDocument } from './config-shape.ts';
import type { Environment } from './expand-variables.ts';
import { findServerBlock, readForeignServers, withoutComments } from './foreign-servers.ts';
import { MCP_SERVER } from './mcp-server-shape.ts';
import { type ConfigFlags, listOverrides } from './overrides.ts';
import { parseSource, readDocument, type SourceDocument } from './read-document.ts';
import { readSettings } from './read-settings.ts';
import { object, record } from './shape.ts';

export interface LoadConfigOptions {
  /** The file. @default QUARTERMASTER_CONFIG, else `quartermaster.yaml` or `quartermaster.yml` in the folder, else none */
  readonly path?: string;
  /** Where relative paths begin that no file gives. @default the process's folder */
  readonly folder?: string;
  readonly env: Environment;
  readonly flags?: ConfigFlags;
}

const FILE_NAMES = ['quartermaster.yaml', 'quartermaster.yml'];

/** Reads the settings: the file, then the environment over it, then the flags. Throws one `ConfigError` with everything that is wrong. */
export function loadConfig(options: LoadConfigOptions): Config {
  const { env, flags = {}, folder = process.cwd() } = options;
  const file = findFile(options.path ?? env.QUARTERMASTER_CONFIG, folder);
  const main = file === undefined ? parseSource('defaults', '') : readDocument(file);
  const base = file === undefined ? folder : dirname(file);
  const problems: ConfigProblem[] = [];
  const document = readSettings(CONFIG_SHAPE, {
    document: main,
    env,
    problems,
    overrides: listOverrides({ env, flags, folder }),
  });
  const others = (document?.mcpConfig ?? []).map((name) => resolve(base, name));
  const servers: Record<string, McpServerSettings> = Object.assign(Object.create(null), document?.mcpServers);
  for (const other of others) {
    const found = readServers(other, { env, problems });
    for (const [name, settings] of Object.entries(found)) servers[name] ??= settings;
  }
  const rule = readRule(env, problems);
  // Where there are problems, parts of the document may be missing.
  if (document === undefined || problems.length > 0) throw new ConfigError(problems);

  const { store, tools, mcpConfig, deferral, ...rest } = document;
  const { tool_search, pins, policies } = tools;
  const gate = { ...(tool_search ?? DEFAULT_GATE_SETTINGS), ...(rule === undefined ? {} : { rule }), pins };
  const source =
    rule !== undefined ? 'ENABLE_TOOL_SEARCH' : tool_search !== undefined ? 'tools.tool_search' : 'default';
  return {
    ...rest,
    ...chooseDeferral(deferral, { rule: gate.rule, source }),
    store: { location: readLocation(store, base), encryptionKeys: store.encryptionKey ?? [] },
    mcpServers: servers,
    tools: { gate, policies: { patterns: policies } },
    files: [...(file === undefined ? [] : [file]), ...others],
  };
}

/** Whoever sets the gate means it for every client, unless told otherwise. */
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

/** Another program's file: only its servers are ours to judge. */
function readServers(
  file: string,
  { env, problems }: { readonly env: Environment; readonly problems: ConfigProblem[] },
): Readonly<Record<string, McpServerSettings>> {
  try {
    const document = readDocument(file, file.endsWith('.json') ? withoutComments : undefined);
    const block = findServerBlock(document.value);
    if (block === undefined || !isJsonObject(document.value)) {
      problems.push({ source: file, path: '', message: 'The document has neither mcpServers nor servers' });
      return {};
    }
    const only: SourceDocument = { ...document, value: { [block]: readForeignServers(document.value[block]) } };
    const shape = object({ [block]: { about: '', shape: record(MCP_SERVER) } });
    return readSettings(shape, { document: only, env, problems, ignoresUnknownKeys: true })?.[block] ?? {};
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return {};
  }
}

function readLocation({ path, url }: ConfigDocument['store'], base: string): StoreLocation {
  if (url !== undefined) return { url };
  return { path: path === ':memory:' ? path : resolve(base, path) };
}

/** `ENABLE_TOOL_SEARCH`, as the agent SDK has it, decides when it is set; limits and pins stay. */
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
