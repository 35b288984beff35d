import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface InputFlags extends SettingsFlags {
  readonly mcpConfig?: readonly string[];
  readonly forget?: true;
}

/** `mcp input`. */
export function addInputCommand(mcp: Command, context: CommandContext): void {
  const command = mcp
    .command('input')
    .description(`answer the \${input:…} questions of a client's file once, and keep the answers encrypted`)
    .argument('[ids...]', 'which to answer (default: those without an answer)')
    .option('-m, --mcp-config <file...>', "your client's file, such as .vscode/mcp.json")
    .option('--forget', 'delete the answers instead (default: all answers for the file)');
  addSettingsOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (ids: readonly string[], flags: InputFlags) => {
      const { withInstalledServers } = await import('../clients/index.ts');
      const { answerInputs } = await import('../serving/index.ts');
      await answerInputs(ids, await withInstalledServers(flags, context), context);
    });
}

const EXAMPLES = `
Examples:
  $ quartermaster mcp input --mcp-config .vscode/mcp.json
  $ pass show github | quartermaster mcp input github_token -m .vscode/mcp.json

An answer belongs to one file: the same id in another file is asked again. If
the settings name no servers, it uses those that init moved.
Exit status: 0 done, 2 no such input or no answer, 69 store unavailable.`;
