import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { wholeNumber } from './option-values.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface CreateKeyFlags extends SettingsFlags {
  readonly models?: readonly string[];
  readonly catalogs?: readonly string[];
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

export interface ListKeysFlags extends SettingsFlags {
  readonly json?: true;
}

export function addKeysCommand(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('API keys of the gateway: create, list, revoke')
    .addHelpText('after', EXAMPLES);
  const rate = wholeNumber(0, Number.MAX_SAFE_INTEGER);

  addSettingsOptions(
    keys
      .command('create')
      .description('create a key and print its secret, which is not kept and never shown again')
      .argument('<name>', 'for people to tell keys apart')
      .option('--models <patterns...>', 'models that it may use, * standing for any text (default: all)')
      .option('--catalogs <patterns...>', 'named catalogs and MCP servers that it may use (default: all)')
      .option('--allow <patterns...>', 'tools of MCP servers that it may use: "github/*" (default: as --catalogs says)')
      .option('--deny <patterns...>', 'tools that it may not use, stronger than --allow: "*/delete_*"')
      .option('--requests-per-minute <n>', 'the most requests in any minute (default: no limit)', rate)
      .option('--tokens-per-minute <n>', 'the most tokens in any minute (default: no limit)', rate),
  ).action(async (name: string, flags: CreateKeyFlags) => {
    const { createKey } = await import('../serving/index.ts');
    await createKey(name, flags, context);
  });

  addSettingsOptions(
    keys.command('list').description('list the keys in the store').option('--json', 'one JSON object a line'),
  ).action(async (flags: ListKeysFlags) => {
    const { listKeys } = await import('../serving/index.ts');
    await listKeys(flags, context);
  });

  addSettingsOptions(
    keys
      .command('revoke')
      .description('refuse a key from now on, at every replica')
      .argument('<id>', 'the whole id, as quartermaster keys list shows it'),
  ).action(async (id: string, flags: SettingsFlags) => {
    const { revokeKey } = await import('../serving/index.ts');
    await revokeKey(id, flags, context);
  });
}

const EXAMPLES = `
Examples:
  $ KEY=$(quartermaster keys create team)
  $ quartermaster keys create ci --models "claude-*" --catalogs acme --requests-per-minute 600
  $ quartermaster keys create reader --allow "github/*" --deny "*/delete_*"
  $ quartermaster keys list
  $ quartermaster keys revoke key_4v7q0m2xk9c3hs8d1tzb6wnr

With the first key the gateway asks everybody for one, and may listen beyond this machine. Keys of quartermaster.yaml are not
listed here. Exit status: 0 done, 1 there is no such key, 2 the command line or the settings can't be used, 69 the store can't
be had.`;
