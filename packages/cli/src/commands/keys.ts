import type { KeyRole } from '@quartermaster/host/store';
import { Option } from 'commander';
import type { CommandLine } from './command-line.ts';
import { duration, futureDuration, pattern, wholeNumber } from './option-values.ts';

export function addKeysCommand(program: CommandLine): void {
  const serving = () => import('../serving/index.ts');
  const keys = program
    .command('keys')
    .description('API keys of the gateway: create, list, update, rotate, revoke, audit')
    .examples(EXAMPLES);
  const rate = wholeNumber(0, Number.MAX_SAFE_INTEGER);

  addRights(
    keys
      .command('create')
      .description('create a key and print its secret, which is shown only once')
      .argument('<name>', 'a name to recognise it by'),
    { readRate: rate, otherwise: (text) => ` (default: ${text})` },
  )
    .settings()
    .runs(async () => (await serving()).createKey);

  keys
    .command('list')
    .description('list the keys in the store')
    .option('--json', 'one JSON object per line')
    .settings()
    .runs(async () => (await serving()).listKeys);

  addRights(
    keys
      .command('update')
      .description("change a key's permissions, limits or expiry; what you leave out stays as it is")
      .argument('<id>', FULL_ID),
    { readRate: (text) => (text === 'none' ? text : rate(text)), otherwise: () => '' },
  )
    .option('--no-writes', 'only its own catalogs may be changed')
    .option('--all-tools', 'remove --allow and --deny')
    .option('--all-endpoints', 'remove --endpoints')
    .option('--no-expiry', 'never expire')
    .settings()
    .runs(async () => (await serving()).updateKey);

  keys
    .command('rotate')
    .description('give a key a new secret and print it; the old secret keeps working for a while')
    .argument('<id>', FULL_ID)
    .addOption(
      new Option('--overlap <time>', 'how long the old secret keeps working: 0s, 30m, 24h')
        .argParser(duration)
        .default(DAY_MS, '24h'),
    )
    .settings()
    .runs(async () => (await serving()).rotateKey);

  keys
    .command('audit')
    .description('show who changed which key, catalog, policy or definition, newest first')
    .option('--by <key>', 'only changes by this key, by its id or name; "" for those without a key')
    .option('--action <action>', 'only these: key.rotate, or key for all changes to keys')
    .option('--subject <name>', 'only changes to this catalog, tool or key')
    .option('--within <time>', 'only changes of the last 12h, 90d', futureDuration)
    .option('--limit <n>', 'maximum number of entries', wholeNumber(1, 10_000), 100)
    .option('--json', 'one JSON object per line')
    .settings()
    .runs(async () => (await serving()).listChanges);

  keys
    .command('revoke')
    .description('revoke a key, on every replica')
    .argument('<id>', FULL_ID)
    .settings()
    .runs(async () => (await serving()).revokeKey);
}

const FULL_ID = 'the full id, as shown by quartermaster keys list';

/** The options that create and update share. `otherwise` says what applies without an option. */
function addRights(
  command: CommandLine,
  {
    readRate,
    otherwise,
  }: { readonly readRate: (text: string) => number | string; readonly otherwise: (text: string) => string },
): CommandLine {
  return command
    .option('--models <patterns...>', `models that it may use; * matches any text${otherwise('all')}`, pattern)
    .option('--catalogs <patterns...>', `named catalogs and MCP servers that it may use${otherwise('all')}`, pattern)
    .option('--writes <patterns...>', `catalogs of other keys that it may change${otherwise('none')}`, pattern)
    .option(
      '--allow <patterns...>',
      `tools that it may use: "github/*", send_mail${otherwise('those of --catalogs')}`,
      pattern,
    )
    .option('--deny <patterns...>', 'tools that it may not use, even if --allow matches: "*/delete_*"', pattern)
    .addOption(
      new Option(
        '--role <role>',
        `a publisher changes its own catalogs, an admin any that it may use${otherwise('consumer')}`,
      ).choices(ROLES),
    )
    .option(
      '--endpoints <names...>',
      `parts of the gateway that it may use: messages, batches, mcp, …${otherwise('all')}`,
    )
    .option('--expires-in <time>', `expire this long from now: 12h, 90d${otherwise('never')}`, futureDuration)
    .option('--requests-per-minute <n>', `maximum requests per minute${otherwise('no limit')}`, readRate)
    .option('--tokens-per-minute <n>', `maximum tokens per minute${otherwise('no limit')}`, readRate)
    .option('--searches-per-minute <n>', `maximum tool searches per minute${otherwise('no limit')}`, readRate)
    .option('--tokens-per-day <n>', `maximum tokens per day, in UTC${otherwise('no limit')}`, readRate)
    .option('--tokens-per-month <n>', `maximum tokens per month, in UTC${otherwise('no limit')}`, readRate);
}

const ROLES = ['consumer', 'publisher', 'admin'] satisfies readonly KeyRole[];

const DAY_MS = 24 * 60 * 60 * 1000;

const EXAMPLES = `
Examples:
  $ KEY=$(quartermaster keys create team)
  $ quartermaster keys create ci --models "claude-*" --requests-per-minute 600
  $ quartermaster keys create reader --allow "github/*" --deny "*/delete_*"
  $ quartermaster keys create uploads --role publisher --expires-in 90d
  $ quartermaster keys list
  $ quartermaster keys update key_4v7q0m2xk9c3hs8d1tzb6wnr --tokens-per-day none
  $ quartermaster keys rotate key_4v7q0m2xk9c3hs8d1tzb6wnr --overlap 24h
  $ quartermaster keys revoke key_4v7q0m2xk9c3hs8d1tzb6wnr

An admin key without restrictions also manages keys and sees what all keys
do. With update, "--tokens-per-day none" removes that limit. Once there is a
key, every request needs one, and the gateway may listen on addresses other than
loopback. Keys in quartermaster.yaml are not listed.
Exit status: 0 done, 1 no such key, 2 the command line or the settings are
invalid, 69 the store is unavailable.`;
