import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addGatewayOptions, type GatewayFlags } from './gateway-options.ts';
import { wholeNumber } from './option-values.ts';

export interface WatchFlags extends GatewayFlags {
  readonly json?: true;
  /** Stop after this many requests. */
  readonly limit?: number;
}

export function addWatchCommand(program: Command, context: CommandContext): void {
  addGatewayOptions(
    program.command('watch').description('show the searches, loads and calls of a running gateway as they happen'),
  )
    .option('-n, --limit <n>', 'stop after this many requests (default: no limit)', wholeNumber(1, 1_000_000))
    .option('--json', 'one JSON object per request')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: WatchFlags) => {
      const { watchGateway } = await import('../remote/index.ts');
      await watchGateway(flags, context);
    });
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
