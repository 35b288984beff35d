import type { Command } from 'commander';
import { write } from '../command-io.ts';
import { createSearcher, type EngineName } from '../create-searcher.ts';
import { evaluateQueries, makeReport, renderReport } from '../evaluate/index.ts';
import { inputName, type LabelledQuery, readQueries } from '../input/index.ts';
import { InputError } from '../input-error.ts';
import { findSampleCatalog } from '../sample-catalog.ts';
import { addCatalogOptions, type CatalogFlags, loadCatalog } from './catalog-options.ts';
import type { CommandContext } from './command-context.ts';
import { engineOption } from './engine-option.ts';

interface EvalFlags extends CatalogFlags {
  readonly engine: EngineName;
  readonly queries?: readonly string[];
  readonly json?: boolean;
}

export function addEvalCommand(program: Command, context: CommandContext): void {
  const command = program.command('eval').description('measure how well labelled queries find their tools');
  addCatalogOptions(command)
    .option('-q, --queries <file...>', 'lines {"query", "relevant": [names or server/name ids], "split"?}')
    .addOption(engineOption())
    .option('--json', 'write one JSON object')
    .addHelpText('after', EXAMPLES)
    .action((flags: EvalFlags) => evaluate(flags, context));
}

async function evaluate(flags: EvalFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  if ((flags.tools === undefined) !== (flags.queries === undefined)) {
    throw new InputError('--tools and --queries go together; without both, the sample catalog is measured');
  }
  const snapshot = await loadCatalog(flags, context);
  const queries: LabelledQuery[] = [];
  for (const file of flags.queries ?? findSampleCatalog().queries) {
    for await (const query of readQueries(file, io.stdin)) queries.push(query);
  }
  if (queries.length === 0)
    throw new InputError(`${flags.queries?.map(inputName).join(', ')}: there are no queries in this`);
  const searcher = await createSearcher(flags.engine, snapshot);
  const report = makeReport(await evaluateQueries(queries, { searcher, snapshot }));
  const tools = snapshot.tools.length;
  const text =
    flags.json === true
      ? JSON.stringify({ engine: flags.engine, tools, ...report }, null, 2)
      : `${tools} tools, engine ${flags.engine}\n\n${renderReport(report)}`;
  await write(io.stdout, `${text}\n`);
}

const EXAMPLES = `
Examples:
  $ quartermaster eval
  $ quartermaster eval --tools catalog.jsonl --queries queries.jsonl --engine bm25
  $ quartermaster eval --tools a.json b.json --queries queries.jsonl.gz --json

hit@k: a relevant tool is among the first k. recall@5: the share of relevant tools among the first five.
nDCG@10 and MRR look at the first ten. Queries whose "relevant" is empty are to be refused; they are counted apart.
Exit status: 0 measured, 2 the command line or a file can't be understood.`;
