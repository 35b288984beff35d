import { writeFile } from 'node:fs/promises';
import type { Searcher, Snapshot } from '@quartermaster/core';
import { InvalidArgumentError } from 'commander';
import { note, print, write } from '../command-io.ts';
import {
  createSearcher,
  DEFAULT_ENGINE,
  ENGINES,
  type EngineName,
  findEngines,
  prepareSearcher,
  resolveEngine,
} from '../create-searcher.ts';
import {
  type Comparison,
  drawComparison,
  evaluateQueries,
  type Floor,
  findShortfalls,
  type History,
  learnHistory,
  makeReport,
  type Report,
  renderCaveats,
  renderComparison,
  renderReport,
} from '../evaluate/index.ts';
import { EXIT } from '../exit-code.ts';
import { type LabelledQuery, type PastCall, readAllQueries, readHistory } from '../input/index.ts';
import { InputError } from '../input-error.ts';
import { findSampleCatalog } from '../sample-catalog.ts';
import { counted, startProgress, wrap } from '../terminal/index.ts';
import { addCatalogOptions, type CatalogFlags, loadCatalog } from './catalog-options.ts';
import type { CommandContext, CommandLine } from './command-line.ts';
import { floorOption } from './option-values.ts';

interface EvalFlags extends CatalogFlags {
  readonly engine?: readonly EngineName[];
  readonly queries?: readonly string[];
  readonly history?: readonly string[];
  readonly json?: boolean;
  readonly picture?: string;
  readonly floor?: readonly Floor[];
}

export function addEvalCommand(program: CommandLine): void {
  const command = program.command('eval').description('measure how well labelled queries find their tools');
  addCatalogOptions(command)
    .option('--hints <file>', 'search hints for the index, written by quartermaster enrich')
    .option('-q, --queries <file...>', 'lines {"query", "relevant": [names or server/name ids], "split"?}')
    .option('--history <file...>', 'lines {"query", "called"}: measure what learning from these calls would gain')
    .option('-e, --engine <names>', 'engines, separated by commas (default: all that can run here)', readEngines)
    .option('--picture <file>', 'draw the figures with their intervals as an SVG')
    .addOption(floorOption())
    .option('--json', 'write one JSON object')
    .examples(EXAMPLES)
    .action((flags: EvalFlags) => evaluate(flags, program.context));
}

async function evaluate(flags: EvalFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  if (flags.queries === undefined && (flags.tools ?? flags.mcpConfig ?? flags.config) !== undefined) {
    throw new InputError(
      '--tools, --mcp-config and --config need --queries; without all of them, the sample catalog is measured',
    );
  }
  if (flags.tools?.includes('-') === true && flags.queries?.includes('-') === true) {
    throw new InputError('Only one of --tools and --queries can be read from stdin');
  }
  const snapshot = await loadCatalog(flags.queries === undefined ? { ...flags, isSample: true } : flags, context);
  const queries = await readAllQueries(flags.queries ?? findSampleCatalog().queries, io.stdin);
  const history = await readPast(flags.history, snapshot, context);
  // A floor applies to what is served, which is the default engine.
  const named = flags.engine ?? (flags.floor === undefined ? undefined : [DEFAULT_ENGINE]);
  const found = named === undefined ? await findAll(context) : await resolveAll(named, context);
  const engines = history === undefined ? found : learningEngines(found, named !== undefined);
  const asked = history === undefined ? queries : queries.map((query) => splitByHistory(query, history));
  const reports: EngineReport[] = [];
  const progress = startProgress(io);
  for (const engine of engines) {
    progress.announce(`Preparing ${engine}`);
    const searcher = await createSearcher(engine, snapshot);
    await prepareSearcher(searcher, snapshot, io);
    const onProgress = (done: number): void => progress.update(`Queries with ${engine}`, done, queries.length);
    const report = async (label: string, by: Searcher): Promise<void> => {
      const outcomes = await evaluateQueries(asked, { searcher: by, snapshot, onProgress });
      progress.announce(`Calculating the figures of ${label}`);
      reports.push({ engine: label, ...makeReport(outcomes) });
    };
    await report(engine, searcher);
    if (history === undefined) continue;
    await report(`${engine}, learned`, history.after(searcher));
  }
  const comparison = compareReports(reports);
  progress.end();
  const { terminal } = context;
  // A pipe has room for any table.
  const isTerminal = io.stdout.isTTY === true;
  const tools = snapshot.tools.length;
  await print(
    io,
    flags.json === true
      ? toJson(reports, tools)
      : toText({ reports, comparison, tools }, isTerminal ? terminal.width : Number.POSITIVE_INFINITY),
  );
  if (flags.floor !== undefined) await checkFloors(reports, flags.floor, context);
  // Last: a measurement that took minutes must not be lost because its picture can't be written.
  if (flags.picture !== undefined) await writePicture(flags.picture, drawComparison(comparison));
}

async function writePicture(path: string, svg: string): Promise<void> {
  try {
    await writeFile(path, svg);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InputError(`${path}: the picture can't be written (${reason})`, { cause: error });
  }
}

/** Resolves `auto` to an engine, and reports it on stderr. */
async function resolveAll(names: readonly EngineName[], { io }: CommandContext): Promise<readonly EngineName[]> {
  const engines: EngineName[] = [];
  for (const name of names) {
    const { engine, reason } = await resolveEngine(name);
    if (name === 'auto') await note(io, `Engine: ${engine} (${reason})`);
    engines.push(engine);
  }
  return [...new Set(engines)];
}

/** All engines that can run here; the others are named on stderr. */
async function findAll({ io }: CommandContext): Promise<readonly EngineName[]> {
  const { engines, missing } = await findEngines();
  if (missing !== undefined) await note(io, `Without the engine "hybrid+reranker": ${missing}`);
  return engines;
}

type EngineReport = Report & { readonly engine: string };

async function readPast(
  files: readonly string[] | undefined,
  snapshot: Snapshot,
  { io }: CommandContext,
): Promise<History | undefined> {
  if (files === undefined) return undefined;
  const calls: PastCall[] = [];
  for (const file of files) for await (const call of readHistory(file, io.stdin)) calls.push(call);
  const history = learnHistory(calls, snapshot);
  if (history.unknown > 0) {
    await note(io, `${counted(history.unknown, 'call')} of the history: the catalog has no such tool`);
  }
  return history;
}

/** Only the hybrid engine's scores can be combined with use. */
function learningEngines(engines: readonly EngineName[], isAsked: boolean): readonly EngineName[] {
  const able = engines.filter((engine) => engine.startsWith('hybrid'));
  if (isAsked && able.length < engines.length) {
    throw new InputError('Only the engines hybrid and hybrid+reranker learn from use; leave out --engine or --history');
  }
  return able;
}

function splitByHistory({ query, relevant }: LabelledQuery, history: History): LabelledQuery {
  return { query, relevant, split: history.hasCalled(relevant) ? 'tools with history' : 'tools without history' };
}

function toJson(reports: readonly EngineReport[], tools: number): string {
  const [first] = reports;
  return JSON.stringify(reports.length === 1 ? { tools, ...first } : { tools, engines: reports }, null, 2);
}

interface Evaluated {
  readonly reports: readonly EngineReport[];
  readonly comparison: Comparison;
  readonly tools: number;
}

function toText({ reports, comparison, tools }: Evaluated, width: number): string {
  const [first, second] = reports;
  if (first === undefined) return '';
  if (second === undefined) return `${counted(tools, 'tool')}, engine ${first.engine}\n\n${renderReport(first, width)}`;
  const notes = [FOOTNOTE, ...renderCaveats(reports)].map((note) => wrap(note, Math.min(width, 120))).join('\n');
  return `${counted(tools, 'tool')}\n\n${renderComparison(comparison, width)}\n\n${notes}`;
}

/** All queries first, then each split. */
function compareReports(reports: readonly EngineReport[]): Comparison {
  const splits = Object.keys(reports[0]?.splits ?? {});
  return {
    engines: reports.map(({ engine }) => engine),
    rows: [
      { label: 'all', summaries: reports.map(({ all }) => all) },
      ...splits.map((split) => ({
        label: split,
        summaries: reports.flatMap(({ splits: own }) => own[split] ?? []),
      })),
    ],
  };
}

function readEngines(text: string): EngineName[] {
  return text.split(',').map((name) => {
    const engine = ENGINES.find((known) => known === name.trim());
    if (engine !== undefined) return engine;
    throw new InvalidArgumentError(`Unknown engine "${name}". Engines: ${ENGINES.join(', ')}.`);
  });
}

async function checkFloors(
  reports: readonly EngineReport[],
  floors: readonly Floor[],
  { io, exit }: CommandContext,
): Promise<void> {
  const shortfalls = reports.flatMap(({ engine, all }) =>
    findShortfalls(all, floors).map((shortfall) => `Below the floor with ${engine}: ${shortfall}\n`),
  );
  if (shortfalls.length === 0) return;
  await write(io.stderr, shortfalls.join(''));
  exit(EXIT.findings);
}

const FOOTNOTE =
  'Percent with 95% intervals; a table that is too wide for the terminal has none. Queries without a relevant tool count only under "nothing fits". All figures of one engine: --engine NAME.';

const EXAMPLES = `
Examples:
  $ quartermaster eval
  $ quartermaster eval --tools catalog.jsonl --queries queries.jsonl -e bm25
  $ quartermaster eval --mcp-config .mcp.json --queries queries.jsonl --json
  $ quartermaster eval --tools a.json --queries q.jsonl --floor recall@5=80
  $ quartermaster eval --tools a.json --queries q.jsonl --history calls.jsonl
  $ quartermaster eval --picture engines.svg

hit@k: a relevant tool is among the first k. recall@5: the share of relevant
tools among the first five. nDCG@10 and MRR look at the first ten. Queries whose
"relevant" is empty should find nothing; they are counted separately.
With --history, each engine is measured before and after learning from the
calls, separately for tools with and without history.
--floor checks the mean over all queries. Without --engine it measures only the
default engine.
Exit status: 0 measured, 1 a figure is below its floor, 2 the command line or a
file is invalid.`;
