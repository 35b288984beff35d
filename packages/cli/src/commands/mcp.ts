import { Argument } from 'commander';
import { InputError } from '../input-error.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumber } from './option-values.ts';

export function addMcpCommand(program: CommandLine): void {
  // Options after login or logout are theirs; commander needs this setting on the parents too.
  program.enablePositionalOptions();
  const mcp = program
    .command('mcp')
    .description('run one MCP server in front of all your MCP servers, over stdin and stdout')
    .enablePositionalOptions()
    .servers()
    .settings()
    .form()
    .clientContext()
    .option(
      '--strict',
      'hold back tools whose definitions changed, until quartermaster mcp accept (default: only report them)',
    )
    .examples(SERVE)
    .allowExcessArguments()
    .runs(async () => {
      const [unknown] = mcp.args;
      if (unknown !== undefined) throw new InputError(describeUnknown(unknown, mcp));
      // Imported by its file: the index would load the gateway too, and a client waits for the start.
      return (await import('../serving/proxy/serve-mcp.ts')).serveMcp;
    });
  addServerCommands(mcp);
  addInstallCommands(mcp);
}

function describeUnknown(name: string, { commands }: CommandLine): string {
  const known = commands.map((one) => one.name()).join(', ');
  return `There is no command "mcp ${name.slice(0, 100)}". Commands: ${known}. Without a command, mcp serves a client over stdin and stdout.`;
}

/** Commands about the servers behind Quartermaster. */
function addServerCommands(mcp: CommandLine): void {
  const serving = () => import('../serving/index.ts');
  mcp
    .command('login')
    .description('sign in to a server in the browser, and store the tokens encrypted')
    .argument('<server>', SERVER)
    .option('-p, --port <n>', 'the local port for the OAuth redirect (default: any free one)', wholeNumber(1, 65_535))
    .option('--no-browser', 'only print the address')
    .servers()
    .option(...USER)
    .settings()
    .examples(LOGIN)
    .runsOnServers(async () => (await serving()).loginToServer);
  mcp
    .command('logout')
    .description('delete the stored tokens of a server')
    .argument('<server>', SERVER)
    .servers()
    .option(...USER)
    .settings()
    .runs(async () => (await serving()).logoutFromServer);
  mcp
    .command('accept')
    .description('show tools whose definitions changed, and accept the current ones')
    .argument('[patterns...]', 'which to accept: files/read_file, "files/*", "*" (default: none, only show them)')
    .servers()
    .settings()
    .examples(ACCEPT)
    .runsOnServers(async () => (await serving()).acceptDefinitions);
  mcp
    .command('input')
    .description(`answer the \${input:…} questions of a client's file once, and keep the answers encrypted`)
    .argument('[ids...]', 'which to answer (default: those without an answer)')
    .servers("your client's file, such as .vscode/mcp.json")
    .option('--forget', 'delete the answers instead (default: all answers for the file)')
    .settings()
    .examples(INPUT)
    .runsOnServers(async () => (await serving()).answerInputs);
  mcp
    .command('status')
    .description('show which servers respond, what their tools cost, and recent errors')
    .servers()
    .clientContext()
    .option('--json', 'write one JSON object')
    .settings()
    .examples(STATUS)
    .runsOnServers(async () => (await serving()).showStatus);
}

const SERVER = 'its name in the mcpServers block';
const USER = ['--user <id>', 'in a gateway with keys: the id of the key to sign in (default: the local user)'] as const;

/** Commands about clients' files. */
function addInstallCommands(mcp: CommandLine): void {
  const clients = () => import('../clients/index.ts');
  mcp
    .command('install')
    .description("move a client's MCP servers behind Quartermaster, with a backup")
    .addArgument(new Argument('<client>', 'the client').choices(CLIENT_IDS))
    .option('--file <file>', "the client's file, if it is not in the usual place, such as a project's .mcp.json")
    .option('--project <folder>', 'move the servers that Claude Code keeps for this project in ~/.claude.json')
    .form()
    .option('--dry-run', 'show what would change, and change nothing')
    .option('-y, --yes', "don't ask for confirmation")
    .option('--no-cost', "don't start the servers to see what their tools cost")
    .examples(INSTALL)
    .runs(async () => (await clients()).installClient);
  mcp
    .command('uninstall')
    .description('restore the files of a client (default: of all clients)')
    .addArgument(new Argument('[client]', 'the client').choices(CLIENT_IDS))
    .option('--dry-run', 'show what would change, and change nothing')
    .examples(UNINSTALL)
    .runs(async () => (await clients()).uninstallClients);
}

const CLIENT_IDS = [
  ...['claude-code', 'claude-desktop', 'cursor', 'vscode', 'windsurf', 'zed'],
  ...['codex', 'gemini', 'opencode', 'cline', 'continue'],
];

const SERVE = `
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

const ACCEPT = `
Examples:
  $ quartermaster mcp accept --mcp-config .mcp.json
  $ quartermaster mcp accept "files/*" --mcp-config .mcp.json

It starts every server and compares its tools with the pins in the store. If the
settings name no servers, it uses those that init moved.
quartermaster mcp --strict holds changed tools back until you accept them here
and start it again. Without --strict, changes are only reported.
Exit status: 0 done, 2 the command line or the settings can't be used, 69 the
store is unavailable.`;

const INPUT = `
Examples:
  $ quartermaster mcp input --mcp-config .vscode/mcp.json
  $ pass show github | quartermaster mcp input github_token -m .vscode/mcp.json

An answer belongs to one file: the same id in another file is asked again. If
the settings name no servers, it uses those that init moved.
Exit status: 0 done, 2 no such input or no answer, 69 store unavailable.`;

const STATUS = `
Examples:
  $ quartermaster mcp status --mcp-config .mcp.json
  $ quartermaster mcp status --json | jq '.costs.servers[] | select(.state == "down")'

It starts every server, lists its tools, and stops it. If the settings name no
servers, it uses those that init moved. Running proxies of this user are listed
with the last errors of their servers.
Exit status: 0 every server responds, 1 some do not, 2 the settings are invalid,
69 the store is unavailable.`;

const INSTALL = `
Examples:
  $ quartermaster mcp install cursor --dry-run
  $ quartermaster mcp install cursor
  $ quartermaster mcp uninstall

The client then starts Quartermaster, and Quartermaster starts its servers.
Servers that are switched off, or that only the client can start, stay where
they are. Restrictions such as excludeTools move too.
Exit status: 0 done, 2 nothing was changed; the message says why.`;

const UNINSTALL = `
A file that has not changed since is restored byte for byte. If the client or you
changed it, only its servers are restored, and the backup is kept.
Exit status: 0 done, 1 nothing is installed.`;
