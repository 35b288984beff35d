import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core/gate';
import type { Command } from 'commander';
import { InputError } from '../input-error.ts';
import type { CommandContext } from './command-context.ts';
import { formOption, type ProxyForm } from './form-option.ts';
import { addAcceptCommand } from './mcp-accept.ts';
import { addInputCommand } from './mcp-input.ts';
import { addInstallCommands } from './mcp-install.ts';
import { addSignInCommands } from './mcp-sign-in.ts';
import { addStatusCommand } from './mcp-status.ts';
import { wholeNumber } from './option-values.ts';
import { addSettingsOptions, type SettingsFlags } from './settings-options.ts';

export interface McpFlags extends SettingsFlags {
  readonly mcpConfig?: readonly string[];
  /** Used whatever the tools cost. @default bridge, once the gate defers */
  readonly form?: ProxyForm;
  /** The context window of the client's model, in tokens. @default `mcp.contextTokens` of the settings, else `DEFAULT_CONTEXT_TOKENS` */
  readonly context?: number;
  /** Whether a tool whose definition changed is held back until it is accepted. */
  readonly strict?: true;
}

export function addMcpCommand(program: Command, context: CommandContext): void {
  // Options after login or logout are theirs; commander needs this setting on the parents too.
  program.enablePositionalOptions();
  const command = program
    .command('mcp')
    .description('run one MCP server in front of all your MCP servers, over stdin and stdout')
    .enablePositionalOptions()
    .option('-m, --mcp-config <file...>', "files with an mcpServers block, such as your client's .mcp.json");
  addSettingsOptions(command)
    .addOption(formOption())
    .option(
      '--context <tokens>',
      `the context window of your client's model (default: mcp.contextTokens of the settings, else ${DEFAULT_CONTEXT_TOKENS})`,
      wholeNumber(1_000, 100_000_000),
    )
    .option(
      '--strict',
      'hold back tools whose definitions changed, until quartermaster mcp accept (default: only report them)',
    )
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments()
    .action(async (flags: McpFlags) => {
      const [unknown] = command.args;
      if (unknown !== undefined) throw new InputError(describeUnknown(unknown, command));
      // Imported by its file: the index would load the gateway too, and a client waits for the start.
      const { serveMcp } = await import('../serving/proxy/serve-mcp.ts');
      await serveMcp(flags, context);
    });
  addSignInCommands(command, context);
  addAcceptCommand(command, context);
  addInputCommand(command, context);
  addStatusCommand(command, context);
  addInstallCommands(command, context);
}

function describeUnknown(name: string, { commands }: Command): string {
  const known = commands.map((one) => one.name()).join(', ');
  return `There is no command "mcp ${name.slice(0, 100)}". Commands: ${known}. Without a command, mcp serves a client over stdin and stdout.`;
}

const EXAMPLES = `
Examples:
  $ quartermaster mcp --mcp-config .mcp.json
  $ quartermaster mcp --mcp-config ~/.cursor/mcp.json --form bridge
  $ quartermaster mcp --mcp-config .mcp.json --context 32768
  $ quartermaster mcp login tracker --mcp-config .mcp.json
  $ claude mcp add tools -- node "$PWD/packages/cli/bin/quartermaster.js" mcp --mcp-config "$PWD/servers.json"

An MCP client starts this command; started by hand, it waits for a client's
messages. Stdout carries only the protocol; notices go to stderr. It exits with
its client, and stops its servers.
Exit status: 0 the client has disconnected, 2 the command line or the settings
can't be used, 69 the store is unavailable.`;
