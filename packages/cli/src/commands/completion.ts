import { Argument, type Command } from 'commander';
import { write } from '../command-io.ts';
import type { CommandLine } from './command-line.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

/** Add it last: it completes the commands that the program has by then. */
export function addCompletionCommand(program: CommandLine): void {
  const { io } = program.context;
  program
    .command('completion')
    .description('write a script that completes commands, options and their values in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .examples(EXAMPLES)
    .action(async (shell: Shell) => {
      const nodes = collect(program, []);
      await write(io.stdout, shell === 'fish' ? forFish(nodes) : forBash(nodes, shell));
    });
}

/** A command and what may follow it. */
interface Node {
  readonly path: readonly string[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  /** Values of its first argument. Empty if anything is allowed. */
  readonly values: readonly string[];
}

interface Flag {
  readonly name: string;
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
  /** Values of the option. Empty if anything is allowed, such as a file. */
  readonly values: readonly string[];
}

const HELP: Flag = {
  name: '--help',
  short: '-h',
  description: 'display help for command',
  takesValue: false,
  values: [],
};

function collect(command: Command, path: readonly string[]): readonly Node[] {
  const node: Node = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), description: one.description() })),
    flags: [
      ...command.options.flatMap(({ long, short, description, required, optional, argChoices = [] }) =>
        long == null ? [] : [{ name: long, short, description, takesValue: required || optional, values: argChoices }],
      ),
      HELP,
    ],
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [node, ...command.commands.flatMap((one) => collect(one, [...path, one.name()]))];
}

function forBash(nodes: readonly Node[], shell: 'bash' | 'zsh'): string {
  const cases = nodes.map(({ path, commands, flags, values }) => {
    const words = [...commands.map(({ name }) => name), ...values, ...flags.map(({ name }) => name)];
    return `    "${path.join(' ')}") words="${words.join(' ')}" ;;`;
  });
  const valueCases = nodes.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ name, short, values }) => {
        const names = short === undefined ? [name] : [name, short];
        const patterns = names.map((one) => `"${[...path, one].join(' ')}"`).join('|');
        return `    ${patterns}) words="${values.join(' ')}" ;;`;
      }),
  );
  const known = nodes.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(' ')}"`);
  const start =
    shell === 'zsh'
      ? '(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }\nautoload -U +X bashcompinit && bashcompinit\n'
      : '';
  return `${start}_quartermaster() {
  local typed="" next="" word="" words="" at=1
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[$at]}"
    if [ -z "$typed" ]; then next="$word"; else next="$typed $word"; fi
    case "$next" in
      ${known.join('|')}) typed="$next" ;;
    esac
    at=$((at + 1))
  done
  case "$typed" in
${cases.join('\n')}
  esac
  case "$typed \${COMP_WORDS[$((COMP_CWORD - 1))]}" in
${valueCases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[$COMP_CWORD]}"))
}
complete -o default -F _quartermaster quartermaster qm
`;
}

function forFish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, commands, flags, values }) => {
    const when = conditionOf(path, commands);
    return [
      ...commands.map(({ name, description }) => `-n "${when}" -f -a ${name} -d ${quote(description)}`),
      ...(values.length === 0 ? [] : [`-n "${when}" -f -a ${quote(values.join(' '))}`]),
      ...flags.map(({ name, short, description, takesValue, values: own }) => {
        const names = short === undefined ? `-l ${name.slice(2)}` : `-s ${short.slice(1)} -l ${name.slice(2)}`;
        const value = own.length > 0 ? ` -x -a ${quote(own.join(' '))}` : takesValue ? ' -r' : '';
        return `-n "${when}" ${names}${value} -d ${quote(description)}`;
      }),
    ];
  });
  return ['quartermaster', 'qm'].map((name) => lines.map((line) => `complete -c ${name} ${line}\n`).join('')).join('');
}

/** True until a subcommand is typed, so that a command's own options are not offered after it. */
function conditionOf(path: readonly string[], commands: Node['commands']): string {
  if (path.length === 0) return '__fish_use_subcommand';
  const within = path.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
  if (commands.length === 0) return within;
  return `${within}; and not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(' ')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const EXAMPLES = `
Examples:
  $ quartermaster completion bash >> ~/.bashrc
  $ quartermaster completion zsh >> ~/.zshrc
  $ quartermaster completion fish >> ~/.config/fish/config.fish

Exit status: 0 done, 2 there is no script for this shell.`;
