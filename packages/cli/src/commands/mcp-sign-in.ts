import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { wholeNumber } from './option-values.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface LogoutFlags extends SettingsFlags {
  readonly mcpConfig?: readonly string[];
  /** The id of a gateway's key. @default the one user of this machine */
  readonly user?: string;
}

export interface LoginFlags extends LogoutFlags {
  /** @default any free one */
  readonly port?: number;
  /** Whether a browser may be opened. */
  readonly browser: boolean;
}

/** `mcp login` and `mcp logout`. */
export function addSignInCommands(mcp: Command, context: CommandContext): void {
  addPlaceOptions(
    mcp
      .command('login')
      .description('sign in to a server in the browser, and store the tokens encrypted')
      .argument('<server>', 'its name in the mcpServers block')
      .option('-p, --port <n>', 'the local port for the OAuth redirect (default: any free one)', wholeNumber(1, 65_535))
      .option('--no-browser', 'only print the address'),
  )
    .addHelpText('after', LOGIN)
    .action(async (server: string, flags: LoginFlags) => {
      const { withInstalledServers } = await import('../clients/index.ts');
      const { loginToServer } = await import('../serving/index.ts');
      await loginToServer(server, await withInstalledServers(flags, context), context);
    });

  addPlaceOptions(
    mcp
      .command('logout')
      .description('delete the stored tokens of a server')
      .argument('<server>', 'its name in the mcpServers block'),
  ).action(async (server: string, flags: LogoutFlags) => {
    const { logoutFromServer } = await import('../serving/index.ts');
    await logoutFromServer(server, flags, context);
  });
}

function addPlaceOptions(command: Command): Command {
  return addSettingsOptions(
    command
      .option('-m, --mcp-config <file...>', "files with an mcpServers block, such as your client's .mcp.json")
      .option('--user <id>', 'in a gateway with keys: the id of the key to sign in (default: the local user)'),
  );
}

const LOGIN = `
Examples:
  $ quartermaster mcp login tracker --mcp-config .mcp.json
  $ quartermaster mcp login tracker --user key_4v7q0m2xk9c3hs8d1tzb6wnr

If the settings name no servers, it looks among those that init moved. The
address to sign in at is written to stdout. The tokens are encrypted with
QUARTERMASTER_ENCRYPTION_KEY, or with a key in a file next to the store that
only you can read.
Exit status: 0 signed in, 2 the command line or the settings can't be used, 69
the server, the sign-in or the store is unavailable.`;
