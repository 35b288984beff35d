import type { CommandLine } from './command-line.ts';
import { positiveNumber, wholeNumber } from './option-values.ts';

export function addInitCommand(program: CommandLine): void {
  program
    .command('init')
    .description('find the MCP servers of your clients, show what they cost, and put Quartermaster in front')
    .option(
      '-c, --config <file>',
      'the settings file to write; if it exists, only mcpConfig is extended',
      'quartermaster.yaml',
    )
    .option('-y, --yes', 'move the servers of every client without asking')
    .option('--dry-run', 'show what would change, and change nothing')
    .form()
    .option('--no-cost', "don't start the servers to see what their tools cost")
    .modelContext('the context window of your model')
    .option('--price <dollars>', 'dollars per million input tokens', positiveNumber(10_000), 3)
    .option('--requests <n>', 'requests to the model per day', wholeNumber(1, 100_000_000), 200)
    .option('--undo', 'restore the files of all clients, and the settings if they are unchanged')
    .examples(EXAMPLES)
    .runs(async () => (await import('../clients/index.ts')).initialize);
}

const EXAMPLES = `
Examples:
  $ quartermaster init
  $ quartermaster init --dry-run
  $ quartermaster init --form bridge
  $ quartermaster init --yes --price 15 --requests 500
  $ quartermaster init --undo

Looks for Claude Code, Claude Desktop, Cursor, VS Code, Windsurf, Zed, Codex,
Gemini CLI, opencode, Cline and Continue. Their files are not changed unless
you confirm. Without a terminal, nothing is changed unless you add --yes.
Exit status: 0 done, 1 no MCP servers found, 2 the command line or a file can't
be used, or there is no terminal and no --yes.`;
