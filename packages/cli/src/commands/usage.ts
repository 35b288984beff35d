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
        .option('--key <id>', 'only this API key (default: all keys, and clients without one)')
        .option(
          '--catalog <name>',
          'only this catalog; mcp for the MCP servers, "" for tools in requests (default: all)',
        ),
    );

  add(
    usage
      .command('list')
      .description('list which tools were called after searches, by key and catalog')
      .option('--json', 'one JSON object per line'),
  ).action(async (flags: ListUsageFlags) => {
    const { listUsage } = await import('../serving/index.ts');
    await listUsage(flags, context);
  });

  add(
    usage
      .command('export')
      .description('write everything that was learned, one JSON object per line; it contains no texts'),
  ).action(async (flags: UsageFlags) => {
    const { exportUsage } = await import('../serving/index.ts');
    await exportUsage(flags, context);
  });

  add(
    usage
      .command('forget')
      .description('delete what was learned')
      .option('--tool <id>', 'only this tool, by its id: server/name')
      .option('--all', 'everything: all keys, catalogs and tools'),
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

These commands use the store in the settings, as serve and mcp do. A running
process notices deletions within five minutes. DELETE /v1/learned takes effect
at once, for the key that sends it.
Exit status: 0 done, 1 nothing to forget, 2 the command line or the settings
are invalid, 69 the store is unavailable.`;
