import { resolve } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import type { Environment } from './expand-variables.ts';
import type { Path } from './shape.ts';

/** Settings from the command line. They override the environment, which overrides the file. */
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

/** A value that overrides the file. */
export interface Override {
  readonly path: Path;
  /** The flag or the variable, for messages. */
  readonly source: string;
  readonly value: unknown;
  /** Parts of the document that no longer apply: a file given by flag overrides an address elsewhere. */
  readonly clears?: Path;
}

interface Rule {
  readonly path: Path;
  readonly flag?: keyof ConfigFlags;
  readonly variable?: string;
  readonly clears?: Path;
  /** Files named on the command line are relative to the current folder, not to the settings' folder. */
  readonly isFile?: boolean;
}

/** In the order in which they apply: a database address comes after, and so overrides, a file from the same source. */
const RULES: readonly Rule[] = [
  { path: ['listen', 'host'], flag: 'host', variable: 'QUARTERMASTER_HOST' },
  { path: ['listen', 'port'], flag: 'port', variable: 'QUARTERMASTER_PORT' },
  { path: ['store', 'path'], flag: 'store', variable: 'QUARTERMASTER_STORE', clears: ['store', 'url'], isFile: true },
  { path: ['store', 'url'], flag: 'databaseUrl', variable: 'DATABASE_URL' },
  { path: ['store', 'encryptionKey'], variable: 'QUARTERMASTER_ENCRYPTION_KEY' },
  { path: ['mcpConfig'], flag: 'mcpConfig', isFile: true },
  { path: ['deferral'], flag: 'deferral', variable: 'QUARTERMASTER_DEFERRAL' },
  { path: ['search', 'engine'], flag: 'searchEngine', variable: 'QUARTERMASTER_SEARCH_ENGINE' },
];

/** As on the command line: `--database-url`. */
function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export interface OverrideSources {
  readonly env: Environment;
  readonly flags: ConfigFlags;
  /** The base of relative paths. */
  readonly folder: string;
}

/** The weakest first. An empty variable counts as unset. */
export function listOverrides({ env, flags, folder }: OverrideSources): readonly Override[] {
  const fromEnvironment = RULES.flatMap(({ variable, ...rule }) => {
    const value = variable === undefined ? undefined : env[variable];
    return variable === undefined || value === '' ? [] : override(rule, { source: variable, value, folder });
  });
  const fromFlags = RULES.flatMap(({ flag, ...rule }) =>
    flag === undefined ? [] : override(rule, { source: flagName(flag), value: flags[flag], folder }),
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
