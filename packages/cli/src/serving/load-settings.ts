import { join } from 'node:path';
import { type Config, type ConfigFlags, loadConfig } from '@quartermaster/host/config';
import type { CommandIo } from '../command-io.ts';
import type { McpFlags, ServeFlags } from '../commands/index.ts';
import { InputError } from '../input-error.ts';
import { dataFolder } from './data-folder.ts';

type SettingsFlags = Pick<ServeFlags & McpFlags, 'config' | 'store' | 'host' | 'port' | 'mcpConfig'>;

export interface Settings {
  readonly config: Config;
  /** Whether there is a `quartermaster.yaml`, or whatever it is called. */
  readonly hasFile: boolean;
}

/** The settings as they are used. A file keeps its store beside itself; without a file it is in the user's data folder. */
export function loadSettings(flags: SettingsFlags, env: CommandIo['env']): Settings {
  const { config: path, store, ...rest } = flags;
  const given: ConfigFlags = { ...rest, ...readStoreFlag(store) };
  const load = (environment: CommandIo['env']): Config =>
    loadConfig({ env: environment, flags: given, ...(path === undefined ? {} : { path }) });

  const config = load(env);
  // Without a main file, the only ones read are those that the command line names.
  const hasFile = config.files.length > (flags.mcpConfig?.length ?? 0);
  if (hasFile) return { config, hasFile };
  // As a variable, so that every other way to name a store stays as strong as it is. An empty one counts as unset.
  const fallback = join(dataFolder({ env }), 'store.db');
  return { config: load({ ...env, QUARTERMASTER_STORE: env.QUARTERMASTER_STORE || fallback }), hasFile };
}

function readStoreFlag(store: string | undefined): ConfigFlags {
  if (store === undefined) return {};
  if (/^postgres(?:ql)?:\/\//i.test(store)) return { databaseUrl: store };
  const scheme = /^([a-z][\w+.-]*):\/\//i.exec(store)?.[1];
  if (scheme === undefined) return { store };
  throw new InputError(`--store takes a file, :memory: or a postgres:// address, not ${scheme}://`);
}
