import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface AcceptFlags extends SettingsFlags {
  readonly mcpConfig?: readonly string[];
}

/** `mcp accept`. */
export function addAcceptCommand(mcp: Command, context: CommandContext): void {
  const command = mcp
    .command('accept')
    .description('show tools whose definitions changed, and accept the current ones')
    .argument('[patterns...]', 'which to accept: files/read_file, "files/*", "*" (default: none, only show them)')
    .option('-m, --mcp-config <file...>', "files with an mcpServers block, such as your client's .mcp.json");
  addSettingsOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (patterns: readonly string[], flags: AcceptFlags) => {
      const { withInstalledServers } = await import('../clients/index.ts');
      const { acceptDefinitions } = await import('../serving/index.ts');
      await acceptDefinitions(patterns, await withInstalledServers(flags, context), context);
    });
}

const EXAMPLES = `
Examples:
  $ quartermaster mcp accept --mcp-config .mcp.json
  $ quartermaster mcp accept "files/*" --mcp-config .mcp.json

It starts every server and compares its tools with the pins in the store. If the
settings name no servers, it uses those that init moved.
quartermaster mcp --strict holds changed tools back until you accept them here
and start it again. Without --strict, changes are only reported.
Exit status: 0 done, 2 the command line or the settings can't be used, 69 the
store is unavailable.`;
