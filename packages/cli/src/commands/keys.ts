import { type Command, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import { duration, wholeNumber } from './option-values.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface CreateKeyFlags extends SettingsFlags {
  readonly models?: readonly string[];
  readonly catalogs?: readonly string[];
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly searchesPerMinute?: number;
  readonly tokensPerDay?: number;
  readonly tokensPerMonth?: number;
  readonly role?: string;
  readonly endpoints?: readonly string[];
  /** Milliseconds. */
  readonly expiresIn?: number;
}

export interface UpdateKeyFlags extends SettingsFlags {
  readonly role?: string;
  /** Milliseconds. */
  readonly expiresIn?: number;
}

export interface RotateKeyFlags extends SettingsFlags {
  /** Milliseconds. */
  readonly overlap: number;
}

export interface AuditFlags extends SettingsFlags {
  readonly json?: true;
  readonly limit: number;
}

export interface ListKeysFlags extends SettingsFlags {
  readonly json?: true;
}

export function addKeysCommand(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('API keys of the gateway: create, list, update, rotate, revoke, audit')
    .addHelpText('after', EXAMPLES);
  const rate = wholeNumber(0, Number.MAX_SAFE_INTEGER);

  addSettingsOptions(
    keys
      .command('create')
      .description('create a key and print its secret, which is shown only once')
      .argument('<name>', 'a name to recognise it by')
      .option('--models <patterns...>', 'models that it may use; * matches any text (default: all)')
      .option('--catalogs <patterns...>', 'named catalogs and MCP servers that it may use (default: all)')
      .option('--allow <patterns...>', 'tools that it may use: "github/*", send_mail (default: those of --catalogs)')
      .option('--deny <patterns...>', 'tools that it may not use, even if --allow matches: "*/delete_*"')
      .option(
        '--role <role>',
        'consumer, publisher (changes its own catalogs) or admin (changes any) (default: consumer)',
      )
      .option(
        '--endpoints <names...>',
        'parts of the gateway that it may use: messages, batches, mcp, … (default: all)',
      )
      .option('--expires-in <time>', 'expire after this time: 12h, 90d (default: never)', duration)
      .option('--requests-per-minute <n>', 'maximum requests per minute (default: no limit)', rate)
      .option('--tokens-per-minute <n>', 'maximum tokens per minute (default: no limit)', rate)
      .option('--searches-per-minute <n>', 'maximum tool searches per minute (default: no limit)', rate)
      .option('--tokens-per-day <n>', 'maximum tokens per day, in UTC (default: no limit)', rate)
      .option('--tokens-per-month <n>', 'maximum tokens per month, in UTC (default: no limit)', rate),
  ).action(async (name: string, flags: CreateKeyFlags) => {
    const { createKey } = await import('../serving/index.ts');
    await createKey(name, flags, context);
  });

  addSettingsOptions(
    keys.command('list').description('list the keys in the store').option('--json', 'one JSON object per line'),
  ).action(async (flags: ListKeysFlags) => {
    const { listKeys } = await import('../serving/index.ts');
    await listKeys(flags, context);
  });

  addSettingsOptions(
    keys
      .command('update')
      .description('change the role of a key, or when it expires')
      .argument('<id>', 'the full id, as shown by quartermaster keys list')
      .option('--role <role>', 'consumer, publisher or admin')
      .option('--expires-in <time>', 'expire this long from now: 12h, 90d', duration),
  ).action(async (id: string, flags: UpdateKeyFlags) => {
    const { updateKey } = await import('../serving/index.ts');
    await updateKey(id, flags, context);
  });

  addSettingsOptions(
    keys
      .command('rotate')
      .description('give a key a new secret and print it; the old secret keeps working for a while')
      .argument('<id>', 'the full id, as shown by quartermaster keys list')
      .addOption(
        new Option('--overlap <time>', 'how long the old secret keeps working: 0s, 30m, 24h')
          .argParser(duration)
          .default(DAY_MS, '24h'),
      ),
  ).action(async (id: string, flags: RotateKeyFlags) => {
    const { rotateKey } = await import('../serving/index.ts');
    await rotateKey(id, flags, context);
  });

  addSettingsOptions(
    keys
      .command('audit')
      .description('show who changed which key or catalog, newest first')
      .option('--limit <n>', 'maximum number of entries', wholeNumber(1, 10_000), 100)
      .option('--json', 'one JSON object per line'),
  ).action(async (flags: AuditFlags) => {
    const { listChanges } = await import('../serving/index.ts');
    await listChanges(flags, context);
  });

  addSettingsOptions(
    keys
      .command('revoke')
      .description('revoke a key, on every replica')
      .argument('<id>', 'the full id, as shown by quartermaster keys list'),
  ).action(async (id: string, flags: SettingsFlags) => {
    const { revokeKey } = await import('../serving/index.ts');
    await revokeKey(id, flags, context);
  });
}

const DAY_MS = 24 * 60 * 60 * 1000;

const EXAMPLES = `
Examples:
  $ KEY=$(quartermaster keys create team)
  $ quartermaster keys create ci --models "claude-*" --requests-per-minute 600
  $ quartermaster keys create reader --allow "github/*" --deny "*/delete_*"
  $ quartermaster keys create uploads --role publisher --expires-in 90d
  $ quartermaster keys list
  $ quartermaster keys rotate key_4v7q0m2xk9c3hs8d1tzb6wnr --overlap 24h
  $ quartermaster keys revoke key_4v7q0m2xk9c3hs8d1tzb6wnr

Once there is a key, every request needs one, and the gateway may listen on
addresses other than loopback. Keys in quartermaster.yaml are not listed.
Exit status: 0 done, 1 no such key, 2 the command line or the settings are
invalid, 69 the store is unavailable.`;
