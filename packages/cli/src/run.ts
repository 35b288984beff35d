import { QuartermasterError } from '@quartermaster/core';
import type { StoreErrorCode } from '@quartermaster/host/store';
import { type Command, CommanderError } from 'commander';
import { type CommandIo, note, withoutFailures } from './command-io.ts';
import { addCommands, type CommandContext, CommandLine } from './commands/index.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { InputError, InterruptedError, UnavailableError } from './input-error.ts';
import { packageVersion } from './package-version.ts';
import { createTerminal } from './terminal/index.ts';

/** Runs one command line (without `node` and the script) and returns the exit status. Never throws because of a user's mistake. */
export async function run(argv: readonly string[], given: CommandIo): Promise<ExitCode> {
  const { stdout, stderr, env } = given;
  const io: CommandIo = {
    // Accessing standard input opens it, which most commands don't need.
    get stdin() {
      return given.stdin;
    },
    stdout,
    stderr: withoutFailures(stderr),
    env,
  };
  let code: ExitCode = EXIT.ok;
  const program = createProgram({
    io,
    terminal: createTerminal(io),
    exit(chosen) {
      code = chosen;
    },
  });
  try {
    refuseUnknownHelp(argv, program);
    await program.parseAsync(asHelpOption(argv), { from: 'user' });
    return code;
  } catch (error) {
    return await fail(error, io);
  }
}

/** `help mcp status` is `mcp status --help`: the parser's own help knows only one level of commands. */
function asHelpOption(argv: readonly string[]): readonly string[] {
  const [first, ...path] = argv;
  return first === 'help' && path.length > 1 ? [...path, '--help'] : argv;
}

/** `help nothing`: the parser would print the help of all commands without an explanation. */
function refuseUnknownHelp([first, ...path]: readonly string[], program: Command): void {
  if (first !== 'help') return;
  let command = program;
  for (const name of path) {
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined) {
      const known = command.commands.map((one) => one.name());
      const place = command === program ? '' : `${command.name()} `;
      const list = known.length === 0 ? '' : ` Commands: ${known.join(', ')}`;
      throw new InputError(`There is no command ${JSON.stringify(`${place}${name}`.slice(0, 100))}.${list}`);
    }
    command = next;
  }
}

function createProgram(context: CommandContext): Command {
  const { io } = context;
  const program = new CommandLine('quartermaster', context)
    .description('Tool search for any language model: serve, search, inspect and measure catalogs of tools.')
    .version(packageVersion(), '-V, --version')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => context.terminal.width,
      getErrHelpWidth: () => context.terminal.width,
    })
    .exitOverride()
    .showHelpAfterError('Add --help to see what is allowed.')
    .examples(HELP);
  addCommands(program);
  return program;
}

async function fail(error: unknown, io: CommandIo): Promise<ExitCode> {
  // Commander has already printed what is wrong; its status is 0 for --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  if (error instanceof InputError || error instanceof QuartermasterError || isStoreError(error, REFUSED_VALUE)) {
    await note(io, error.message);
    return EXIT.badInput;
  }
  if (error instanceof InterruptedError) {
    await note(io, `\n${error.message}`);
    return EXIT.interrupted;
  }
  if (error instanceof UnavailableError || isStoreError(error)) {
    await note(io, error.message);
    return EXIT.unavailable;
  }
  const text = error instanceof Error ? (io.env.QUARTERMASTER_DEBUG ? error.stack : error.message) : String(error);
  await note(io, `This is a bug in quartermaster; please report it: ${text}`);
  return EXIT.fault;
}

/** Recognized by its name: importing its class would load the database drivers for every command. */
function isStoreError(error: unknown, code?: StoreErrorCode): error is Error {
  if (!(error instanceof Error) || error.name !== 'StoreError' || !('code' in error)) return false;
  return code === undefined || error.code === code;
}

/** Values that a store refuses through no fault of the database: a name that is empty or too long. */
const REFUSED_VALUE: StoreErrorCode = 'invalid_value';

const HELP = `
Examples:
  $ quartermaster init
  $ quartermaster doctor
  $ quartermaster demo
  $ quartermaster serve
  $ quartermaster mcp --mcp-config .mcp.json
  $ quartermaster keys create team
  $ quartermaster catalogs push acme --tools catalog.json
  $ quartermaster watch
  $ quartermaster search "send an email to a customer"
  $ quartermaster search "open pull requests" --tools catalog.jsonl.gz --json
  $ quartermaster inspect --tools catalog.json --context 128000
  $ quartermaster eval --tools catalog.json --queries queries.jsonl
  $ quartermaster lint --tools catalog.json

A catalog is JSON or JSONL, gzip or plain: tools as Anthropic, OpenAI, Gemini,
MCP or the AI SDK define them, a saved tools/list answer, or lines
{"server", "tools"}. At most 256 MiB a file and 64 MiB a line after
decompression. Colours only in a terminal; NO_COLOR turns them off.

Exit status: 0 done or found, 1 nothing found or problems found, 2 the command
line or a file is invalid, 69 port or store unavailable, 74 the output can't be
written.`;
