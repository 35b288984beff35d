import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

export interface InstallFlags {
  readonly file?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  /** Whether servers are started to see what they cost. */
  readonly cost: boolean;
}

export interface UninstallFlags {
  readonly dryRun?: true;
}

/** `mcp install` and `mcp uninstall`. */
export function addInstallCommands(mcp: Command, context: CommandContext): void {
  mcp
    .command('install')
    .description("move a client's MCP servers behind Quartermaster, with a backup")
    .argument('<client>', CLIENT_IDS)
    .option('--file <file>', "the client's file, where it is not in its usual place")
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', 'do not ask')
    .option('--no-cost', 'do not start the servers to see what their tools cost')
    .addHelpText('after', EXAMPLES)
    .action(async (client: string, flags: InstallFlags) => {
      const { installClient } = await import('../clients/index.ts');
      await installClient(client, flags, context);
    });
  mcp
    .command('uninstall')
    .description("put the files of clients back as they were (default: all clients')")
    .argument('[client]', CLIENT_IDS)
    .option('--dry-run', 'show what would change, and change nothing')
    .addHelpText('after', UNDO)
    .action(async (client: string | undefined, flags: UninstallFlags) => {
      const { uninstallClients } = await import('../clients/index.ts');
      await uninstallClients(client, flags, context);
    });
}

const CLIENT_IDS =
  'claude-code, claude-desktop, cursor, vscode, windsurf, zed, codex, gemini, opencode, cline or continue';

const EXAMPLES = `
Examples:
  $ quartermaster mcp install cursor --dry-run
  $ quartermaster mcp install cursor
  $ quartermaster mcp uninstall

The client then starts Quartermaster, and Quartermaster starts its servers.
Servers that are switched off, or that only the client can start, stay where
they are. Restrictions such as excludeTools move along.
Exit status: 0 done, 2 nothing was changed and why.`;

const UNDO = `
A file that nobody has changed since is put back byte for byte. Where the client
or you have changed it, only its servers are put back, and the backup is kept.
Exit status: 0 done, 1 nothing is installed.`;
