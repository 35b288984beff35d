import { Argument, type Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { formOption, type ProxyForm } from './form-option.ts';

export interface InstallFlags {
  readonly file?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  /** Whether servers are started to measure their cost. */
  readonly cost: boolean;
  /** The project folder, for the servers that Claude Code keeps for it. */
  readonly project?: string;
  readonly form?: ProxyForm;
}

export interface UninstallFlags {
  readonly dryRun?: true;
}

/** `mcp install` and `mcp uninstall`. */
export function addInstallCommands(mcp: Command, context: CommandContext): void {
  mcp
    .command('install')
    .description("move a client's MCP servers behind Quartermaster, with a backup")
    .addArgument(new Argument('<client>', 'the client').choices(CLIENT_IDS))
    .option('--file <file>', "the client's file, if it is not in the usual place, such as a project's .mcp.json")
    .option('--project <folder>', 'move the servers that Claude Code keeps for this project in ~/.claude.json')
    .addOption(formOption())
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', "don't ask for confirmation")
    .option('--no-cost', "don't start the servers to see what their tools cost")
    .addHelpText('after', EXAMPLES)
    .action(async (client: string, flags: InstallFlags) => {
      const { installClient } = await import('../clients/index.ts');
      await installClient(client, flags, context);
    });
  mcp
    .command('uninstall')
    .description('restore the files of a client (default: of all clients)')
    .addArgument(new Argument('[client]', 'the client').choices(CLIENT_IDS))
    .option('--dry-run', 'show what would change, and change nothing')
    .addHelpText('after', UNDO)
    .action(async (client: string | undefined, flags: UninstallFlags) => {
      const { uninstallClients } = await import('../clients/index.ts');
      await uninstallClients(client, flags, context);
    });
}

const CLIENT_IDS = [
  ...['claude-code', 'claude-desktop', 'cursor', 'vscode', 'windsurf', 'zed'],
  ...['codex', 'gemini', 'opencode', 'cline', 'continue'],
];

const EXAMPLES = `
Examples:
  $ quartermaster mcp install cursor --dry-run
  $ quartermaster mcp install cursor
  $ quartermaster mcp uninstall

The client then starts Quartermaster, and Quartermaster starts its servers.
Servers that are switched off, or that only the client can start, stay where
they are. Restrictions such as excludeTools move too.
Exit status: 0 done, 2 nothing was changed; the message says why.`;

const UNDO = `
A file that has not changed since is restored byte for byte. If the client or you
changed it, only its servers are restored, and the backup is kept.
Exit status: 0 done, 1 nothing is installed.`;
