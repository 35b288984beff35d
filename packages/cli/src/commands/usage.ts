import type { CommandLine } from './command-line.ts';

export function addUsageCommand(program: CommandLine): void {
  const serving = () => import('../serving/index.ts');
  const usage = program
    .command('usage')
    .description('what was learned from use (usage.learn): list, export, forget')
    .examples(EXAMPLES);
  const add = (command: CommandLine): CommandLine =>
    command
      .option('--key <id>', 'only this API key (default: all keys, and clients without one)')
      .option('--catalog <name>', 'only this catalog; mcp for the MCP servers, "" for tools in requests (default: all)')
      .settings();

  add(
    usage
      .command('list')
      .description('list which tools were called after searches, by key and catalog')
      .option('--json', 'one JSON object per line'),
  ).runs(async () => (await serving()).listUsage);

  add(
    usage
      .command('export')
      .description('write everything that was learned, one JSON object per line; it contains no texts'),
  ).runs(async () => (await serving()).exportUsage);

  add(
    usage
      .command('forget')
      .description('delete what was learned')
      .option('--tool <id>', 'only this tool, by its id: server/name')
      .option('--all', 'everything: all keys, catalogs and tools'),
  ).runs(async () => (await serving()).forgetUsage);
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
