import { Option } from 'commander';
import { ENGINES, type EngineName } from '../create-searcher.ts';
import type { Floor } from '../evaluate/index.ts';
import { InputError } from '../input-error.ts';
import { addCatalogOptions, type CatalogFlags, readCatalog } from './catalog-options.ts';
import type { CommandLine, JsonFlag } from './command-line.ts';
import { floorOption, wholeNumber } from './option-values.ts';

export interface LintFlags extends CatalogFlags, JsonFlag {
  readonly engine: EngineName;
  /** Whether searches are made for the tools. */
  readonly search: boolean;
  readonly maxTokensPerServer?: number;
  readonly queries?: readonly string[];
  readonly floor?: readonly Floor[];
  readonly top: number;
  readonly strict?: true;
  readonly sarif?: string;
  readonly fix?: string;
}

export function addLintCommand(program: CommandLine): void {
  const { context } = program;
  const command = program.command('lint').description('find the tools that will not be found, and say why');
  addCatalogOptions(command)
    .option('--hints <file>', 'search hints for the index, written by quartermaster enrich')
    .addOption(new Option('-e, --engine <name>', 'the search engine').choices(ENGINES).default('hybrid'))
    .option('--no-search', 'check the definitions only')
    .option(
      '--max-tokens-per-server <n>',
      'fail if the definitions of a server take more tokens',
      wholeNumber(1, 1_000_000_000),
    )
    .option('-q, --queries <file...>', 'for --floor: lines {"query", "relevant": [names or server/name ids]}')
    .addOption(floorOption())
    .option('--top <n>', 'how many findings of each kind to show', wholeNumber(1, 1_000_000), 10)
    .option('--strict', 'fail on warnings too')
    .option('--json', 'write one JSON object with every finding')
    .option('--sarif <file>', 'also write the findings as SARIF, for code scanning')
    .option('--fix <file>', 'also write suggestions: a JSON object with what to add to each tool')
    .examples(EXAMPLES)
    .action(async (flags: LintFlags) => {
      if (flags.engine === 'regex')
        throw new InputError('lint searches in plain words, so it cannot use the engine "regex"');
      checkFloorFlags(flags);
      const { lintCatalog } = await import('../lint/index.ts');
      // An unreadable definition is a finding like any other.
      await lintCatalog(await readCatalog({ ...flags, skipBad: true }, context), flags, context);
    });
}

function checkFloorFlags({ queries, floor, search, tools }: LintFlags): void {
  if ((queries === undefined) !== (floor === undefined)) throw new InputError('--queries and --floor need each other');
  if (floor !== undefined && !search)
    throw new InputError("--floor needs searches, so it can't be used with --no-search");
  if (queries?.includes('-') === true && tools?.includes('-') === true) {
    throw new InputError('Only one of --tools and --queries can be read from stdin');
  }
}

const EXAMPLES = `
Examples:
  $ quartermaster lint --tools catalog.json
  $ quartermaster lint --mcp-config .mcp.json --max-tokens-per-server 20000
  $ quartermaster lint --tools catalog.json --sarif lint.sarif --strict
  $ quartermaster lint --tools catalog.json --fix suggestions.json
  $ quartermaster lint --tools a.json --queries q.jsonl --floor recall@5=80

Checks each description (missing, too short, no verb), parameters without a
description, tools with nearly the same text or the same name, definitions over
1,000 tokens, and deprecated tools that name no successor. Then it searches for
each tool by its name and by its first sentence. A tool that is not among the
first five is an error; one that another tool beats is a warning. With --queries
and --floor, a figure of eval below its floor is an error too. The catalog is
never changed.
Exit status: 0 no errors, 1 errors (with --strict: or warnings), 2 the command
line or a file is invalid.`;
