import { resolve } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import type { Environment } from './expand-variables.ts';
import type { Path } from './shape.ts';

/** What the command line can say. Stronger than the environment, which is stronger than the file. */
export interface ConfigFlags {
  readonly host?: string;
  readonly port?: string | number;
  /** The SQLite file. */
  readonly store?: string;
  readonly databaseUrl?: string;
  readonly mcpConfig?: readonly string[];
  readonly deferral?: string;
  readonly searchEngine?: string;
}

/** A value that replaces what the file says. */
export interface Override {
  readonly path: Path;
  /** The flag or the variable, for messages. */
  readonly source: string;
  readonly value: unknown;
  /** Places of the document that no longer count: a file given by flag is meant, whatever address stood elsewhere. */
  readonly clears?: Path;
}

interface Rule {
  readonly path: Path;
  readonly flag?: { readonly key: keyof ConfigFlags; readonly name: string };
  readonly variable?: string;
  readonly clears?: Path;
  /** Files named on the command line are meant from where one stands, not from the settings' folder. */
  readonly isFile?: boolean;
}

/** In the order in which they apply: an address of a database comes after, and so beats, a file from the same level. */
const RULES: readonly Rule[] = [
  { path: ['listen', 'host'], flag: { key: 'host', name: '--host' }, variable: 'QUARTERMASTER_HOST' },
  { path: ['listen', 'port'], flag: { key: 'port', name: '--port' }, variable: 'QUARTERMASTER_PORT' },
  {
    path: ['store', 'path'],
    flag: { key: 'store', name: '--store' },
    variable: 'QUARTERMASTER_STORE',
    clears: ['store', 'url'],
    isFile: true,
  },
  { path: ['store', 'url'], flag: { key: 'databaseUrl', name: '--database-url' }, variable: 'DATABASE_URL' },
  { path: ['store', 'encryptionKey'], variable: 'QUARTERMASTER_ENCRYPTION_KEY' },
  { path: ['mcpConfig'], flag: { key: 'mcpConfig', name: '--mcp-config' }, isFile: true },
  { path: ['deferral'], flag: { key: 'deferral', name: '--deferral' }, variable: 'QUARTERMASTER_DEFERRAL' },
  {
    path: ['search', 'engine'],
    flag: { key: 'searchEngine', name: '--search-engine' },
    variable: 'QUARTERMASTER_SEARCH_ENGINE',
  },
];

export interface OverrideSources {
  readonly env: Environment;
  readonly flags: ConfigFlags;
  /** Where relative paths begin. */
  readonly folder: string;
}

/** The weakest first. An empty variable counts as unset. */
export function listOverrides({ env, flags, folder }: OverrideSources): readonly Override[] {
  const fromEnvironment = RULES.flatMap(({ variable, ...rule }) => {
    const value = variable === undefined ? undefined : env[variable];
    return variable === undefined || value === '' ? [] : override(rule, { source: variable, value, folder });
  });
  const fromFlags = RULES.flatMap(({ flag, ...rule }) =>
    flag === undefined ? [] : override(rule, { source: flag.name, value: flags[flag.key], folder }),
  );
  return [...fromEnvironment, ...fromFlags];
}

function override(
  { path, clears, isFile = false }: Rule,
  { source, value, folder }: { readonly source: string; readonly value: unknown; readonly folder: string },
): readonly Override[] {
  if (value === undefined) return [];
  const absolute = (name: unknown): unknown =>
    typeof name === 'string' && name !== ':memory:' ? resolve(folder, name) : name;
  const given = !isFile ? value : Array.isArray(value) ? value.map(absolute) : absolute(value);
  return [{ path, source, value: given, ...defined({ clears }) }];
}
