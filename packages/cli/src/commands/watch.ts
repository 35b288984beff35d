import type { CommandLine } from './command-line.ts';
import { wholeNumber } from './option-values.ts';

export function addWatchCommand(program: CommandLine): void {
  program
    .command('watch')
    .description('show the searches, loads and calls of a running gateway as they happen')
    .gateway()
    .option('-n, --limit <n>', 'stop after this many requests (default: no limit)', wholeNumber(1, 1_000_000))
    .option('--json', 'one JSON object per request')
    .examples(EXAMPLES)
    .runs(async () => (await import('../remote/index.ts')).watchGateway);
}

const EXAMPLES = `
Examples:
  $ quartermaster watch
  $ quartermaster watch --url https://gateway.example.com
  $ quartermaster watch --json --limit 10

An ordinary key sees its own requests, an admin key those of all keys. Queries
are shown only if the gateway's settings say insight: queries. Ctrl+C stops.
Exit status: 0 stopped, 2 the command line or the key can't be used, 69 the
gateway is unavailable or has closed the connection.`;
