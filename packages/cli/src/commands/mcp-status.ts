import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core/gate';
import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { wholeNumber } from './option-values.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface StatusFlags extends SettingsFlags {
  readonly mcpConfig?: readonly string[];
  readonly json?: true;
  readonly context?: number;
}

/** `mcp status`. */
export function addStatusCommand(mcp: Command, context: CommandContext): void {
  const command = mcp
    .command('status')
    .description('show which servers respond, what their tools cost, and recent errors')
    .option('-m, --mcp-config <file...>', "files with an mcpServers block, such as your client's .mcp.json")
    .option(
      '--context <tokens>',
      `the context window of your client's model (default: mcp.contextTokens of the settings, else ${DEFAULT_CONTEXT_TOKENS})`,
      wholeNumber(1_000, 100_000_000),
    )
    .option('--json', 'write one JSON object');
  addSettingsOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: StatusFlags) => {
      const { withInstalledServers } = await import('../clients/index.ts');
      const { showStatus } = await import('../serving/index.ts');
      await showStatus(await withInstalledServers(flags, context), context);
    });
}

const EXAMPLES = `
Examples:
  $ quartermaster mcp status --mcp-config .mcp.json
  $ quartermaster mcp status --json | jq '.costs.servers[] | select(.state == "down")'

It starts every server, lists its tools, and stops it. If the settings name no
servers, it uses those that init moved. Running proxies of this user are listed
with the last errors of their servers.
Exit status: 0 every server responds, 1 some do not, 2 the settings are invalid,
69 the store is unavailable.`;
