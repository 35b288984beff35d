import { defined } from '@quartermaster/core/internal';
import { type Config, type ConfigFlags, loadConfig, type ServerInput } from '@quartermaster/host/config';
import type { TokenOwner, TokenStore } from '@quartermaster/host/store';
import type { CommandIo } from '../../command-io.ts';
import type { ServerFlags } from '../../commands/index.ts';
import { InputError } from '../../input-error.ts';
import { userStore } from './data-folder.ts';

type SettingsFlags = ServerFlags & Pick<ConfigFlags, 'host' | 'port'>;

export interface Settings {
  readonly config: Config;
  /** Whether there is a settings file, whatever its name. */
  readonly hasFile: boolean;
}

/** The settings in use, of all flags that a command has. With a file, the store is next to it; without one, in the user's data folder. */
export function loadSettings(flags: SettingsFlags, env: CommandIo['env'], answers?: Answers): Settings {
  const { config: path, store, host, port, mcpConfig } = flags;
  const given: ConfigFlags = { ...defined({ host, port, mcpConfig }), ...readStoreFlag(store) };
  const load = (environment: CommandIo['env']): Config =>
    loadConfig({ env: environment, flags: given, ...defined({ path, answers }) });

  const config = load(env);
  // Without a settings file, only the files that the command line names are read.
  const hasFile = config.files.length > (mcpConfig?.length ?? 0);
  if (hasFile) return { config, hasFile };
  // Set as a variable, so that every other way to name a store still overrides it. An empty one counts as unset.
  const fallback = userStore({ env });
  return { config: load({ ...env, QUARTERMASTER_STORE: env.QUARTERMASTER_STORE || fallback }), hasFile };
}

/** The same, with the stored answers to the inputs of files. */
export async function loadAnsweredSettings(
  flags: SettingsFlags,
  env: CommandIo['env'],
  tokens: Pick<TokenStore, 'get'> | undefined,
): Promise<Config> {
  const { config } = loadSettings(flags, env);
  if (config.inputs.length === 0) return config;
  return loadSettings(flags, env, await readAnswers(config.inputs, tokens)).config;
}

function readStoreFlag(store: string | undefined): ConfigFlags {
  if (store === undefined) return {};
  if (/^postgres(?:ql)?:\/\//i.test(store)) return { databaseUrl: store };
  const scheme = /^([a-z][\w+.-]*):\/\//i.exec(store)?.[1];
  if (scheme === undefined) return { store };
  throw new InputError(`--store takes a file, :memory: or a postgres:// address, not ${scheme}://`);
}

/** Finds the stored answers to the inputs of files. */
export type Answers = (source: string, id: string) => string | undefined;

/** Reads the answers from the store. An unreadable one, for example after the key was changed, counts as missing. */
export async function readAnswers(
  inputs: Config['inputs'],
  tokens: Pick<TokenStore, 'get'> | undefined,
): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const input of inputs) {
    const value = await tokens?.get(ownerOf(input)).catch(() => undefined);
    if (value !== undefined) answers.set(keyOf(input), value);
  }
  return (source, id) => answers.get(keyOf({ source, id }));
}

/** Stored with the tokens, which are encrypted. The file is part of the key: no other file gets the value. */
export function ownerOf(input: Pick<ServerInput, 'source' | 'id'>): TokenOwner {
  return { user: 'mcp-input', server: keyOf(input) };
}

function keyOf({ source, id }: Pick<ServerInput, 'source' | 'id'>): string {
  return JSON.stringify([source, id]);
}
