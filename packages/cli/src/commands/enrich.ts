import { InvalidArgumentError } from 'commander';
import { addCatalogOptions, type CatalogFlags, readCatalog } from './catalog-options.ts';
import type { CommandLine } from './command-line.ts';
import { wholeNumber } from './option-values.ts';

export interface EnrichFlags extends CatalogFlags {
  readonly model: string;
  readonly out: string;
  readonly onlyWeak?: true;
  readonly concurrency: number;
  readonly inputPrice?: number;
  readonly outputPrice?: number;
  readonly dryRun?: true;
  readonly yes?: true;
}

export function addEnrichCommand(program: CommandLine): void {
  const { context } = program;
  const command = program
    .command('enrich')
    .description('let a model write sample requests for each tool, for the search index');
  addCatalogOptions(command)
    .requiredOption('--model <name>', 'the model that writes them; an upstream in the settings must serve it')
    .option('-o, --out <file>', 'the hints file; existing hints are kept', 'quartermaster.hints.json')
    .option('--only-weak', 'only tools with an empty, short or non-English description')
    .option('--concurrency <n>', 'requests to the model at a time', wholeNumber(1, 64), 4)
    .option('--input-price <usd>', 'dollars per million input tokens, to estimate the cost', price)
    .option('--output-price <usd>', 'dollars per million output tokens', price)
    .option('--dry-run', 'show what it would cost, and send nothing')
    .option('-y, --yes', "don't ask for confirmation")
    .examples(EXAMPLES)
    .action(async (flags: EnrichFlags) => {
      const { enrichCatalog } = await import('../enrich/index.ts');
      const { snapshot } = await readCatalog(flags, context);
      await enrichCatalog(snapshot, flags, context);
    });
}

function price(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || value > 1_000_000)
    throw new InvalidArgumentError('Give an amount in US dollars, such as 3 or 0.25.');
  return value;
}

const EXAMPLES = `
Examples:
  $ quartermaster enrich --tools catalog.json --model claude-haiku-4-5 --dry-run
  $ quartermaster enrich --mcp-config .mcp.json --model gpt-5-mini --only-weak
  $ quartermaster eval --tools catalog.json --queries queries.jsonl --hints quartermaster.hints.json

The model reads each definition next to the other tools of its server and writes
four to six short requests in users' words. A request that finds another tool of
the server first is rejected. The hints are kept with a hash of the definition:
a tool that changes loses its hints until you run the command again. A run that
was stopped resumes where it ended. Review the file, commit it, and set
search.hints to it in quartermaster.yaml. Hints are for the index only; models
that use the tools never see them.
Exit status: 0 done, 1 some answers of the model could not be read, 2 the command
line, the settings or a file can't be used, 69 the model can't be reached (what
was written so far is kept).`;
