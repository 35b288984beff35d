import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface UsageFlags extends SettingsFlags {
  /** The id of an API key. @default all */
  readonly key?: string;
  readonly catalog?: string;
}

export interface ListUsageFlags extends UsageFlags {
  readonly json?: true;
}

export interface ForgetUsageFlags extends UsageFlags {
  readonly tool?: string;
  readonly all?: true;
}

export function addUsageCommand(program: Command, context: CommandContext): void {
  const usage = program
    .command('usage')
    .description('what was learned from use (usage.learn): list, export, forget')
    .addHelpText('after', EXAMPLES);
  const add = (command: Command): Command =>
    addSettingsOptions(
      command
        .option('--key <id>', 'only of this API key (default: all keys, and clients without one)')
        .option('--catalog <name>', 'only of this catalog; mcp: the MCP servers; "": tools of requests (default: all)'),
    );

  add(
    usage
      .command('list')
      .description('list which tools were called after searches, by key and catalog')
      .option('--json', 'one JSON object a line'),
  ).action(async (flags: ListUsageFlags) => {
    const { listUsage } = await import('../serving/index.ts');
    await listUsage(flags, context);
  });

  add(
    usage.command('export').description('write everything that is kept, one JSON object a line: no texts are kept'),
  ).action(async (flags: UsageFlags) => {
    const { exportUsage } = await import('../serving/index.ts');
    await exportUsage(flags, context);
  });

  add(
    usage
      .command('forget')
      .description('delete what was learned')
      .option('--tool <id>', 'only of this tool, by its id: server/name')
      .option('--all', 'of all keys, catalogs and tools'),
  ).action(async (flags: ForgetUsageFlags) => {
    const { forgetUsage } = await import('../serving/index.ts');
    await forgetUsage(flags, context);
  });
}

const EXAMPLES = `
Examples:
  $ quartermaster usage list
  $ quartermaster usage list --catalog acme --json
  $ quartermaster usage export --key key_abc > learned.jsonl
  $ quartermaster usage forget --tool mail/send_mail
  $ quartermaster usage forget --all

They work on the store of the settings, that of serve and of mcp alike. A
process that is running notices within five minutes what was forgotten; one's
own key forgets at once with DELETE /v1/learned.
Exit status: 0 done, 1 there was nothing to forget, 2 the command line or the
settings can't be used, 69 the store is unavailable.`;
