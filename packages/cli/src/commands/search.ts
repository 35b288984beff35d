import { QuartermasterError, type Searcher, type SearchResult } from '@quartermaster/core';
import { PatternError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import { type Hit, SEARCH_LIMITS } from '@quartermaster/core/search';
import { createIndexCache } from '@quartermaster/host/search';
import { Option } from 'commander';
import { note, print } from '../command-io.ts';
import { DEFAULT_ENGINE, ENGINES, type EngineName, prepareSearcher, startEngine } from '../create-searcher.ts';
import { EXIT } from '../exit-code.ts';
import { foundTools } from '../found-tools.ts';
import { inputName, readBareQueries } from '../input/index.ts';
import { InputError } from '../input-error.ts';
import { counted, oneLine, renderHits, renderStanding, whileShowing } from '../terminal/index.ts';
import { addCatalogOptions, type CatalogFlags, loadCatalog } from './catalog-options.ts';
import type { CommandContext, CommandLine } from './command-line.ts';
import { findTools } from './find-tools.ts';
import { wholeNumber } from './option-values.ts';

interface SearchFlags extends CatalogFlags {
  readonly engine: EngineName;
  readonly limit: number;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly why?: string;
  readonly batch?: string;
  /** Whether the index is cached for the next run. */
  readonly cache: boolean;
}

export function addSearchCommand(program: CommandLine): void {
  const { context } = program;
  const command = program
    .command('search')
    .description('find the tools that fit a request')
    .argument('[query...]', 'the request in words; with --engine regex, a Python regular expression');
  addCatalogOptions(command)
    .option('--hints <file>', 'search hints for the index, written by quartermaster enrich')
    .addOption(new Option('-e, --engine <name>', 'the search engine').choices(ENGINES).default(DEFAULT_ENGINE))
    .option(
      '-n, --limit <n>',
      `maximum number of results, ${SEARCH_LIMITS.min} to ${SEARCH_LIMITS.max}`,
      wholeNumber(SEARCH_LIMITS.min, SEARCH_LIMITS.max),
      SEARCH_LIMITS.default,
    )
    .option('--explain', 'break every score into its parts')
    .option('--why <tool>', 'show the rank of one tool for the query, and why it is listed or not')
    .option('--batch <file>', 'answer every line {"query": …} of a file; "-" is stdin')
    .option('--no-cache', "rebuild the index, and don't save it")
    .option('--json', 'write JSON: one line per query')
    .examples(EXAMPLES)
    .action((words: readonly string[], flags: SearchFlags) => search(words.join(' '), flags, context));
}

async function search(query: string, given: SearchFlags, context: CommandContext): Promise<void> {
  checkFlags(query, given);
  const snapshot = await loadCatalog(given, context);
  const indexCache = given.cache ? createIndexCache(undefined, { env: context.io.env }) : undefined;
  const { engine, reason, searcher } = await startEngine(given.engine, snapshot, { io: context.io, indexCache });
  if (given.explain === true || given.why !== undefined || (given.engine === 'auto' && engine === 'hybrid')) {
    await note(context.io, `Engine: ${engine} (${reason})`);
  }
  const flags = { ...given, engine };
  await prepareSearcher(searcher, snapshot, context.io);
  if (flags.batch !== undefined) {
    await searchBatch(flags.batch, { searcher, flags, context });
  } else if (flags.why !== undefined) {
    await explainStanding(query, flags.why, { searcher, snapshot, flags, context });
  } else {
    await searchOnce(query, { searcher, flags, context });
  }
}

function checkFlags(query: string, { batch, why, tools }: SearchFlags): void {
  if (batch === undefined && query.trim() === '') {
    const hint = tools === undefined ? '' : ' (put it before --tools, which takes everything after it)';
    throw new InputError(`The query is missing. Example: quartermaster search "send an email"${hint}`);
  }
  if (batch !== undefined && query !== '') throw new InputError('Give a query or --batch, not both');
  if (batch !== undefined && why !== undefined)
    throw new InputError("--why explains one query, so it can't be used with --batch");
  if (batch === '-' && tools?.includes('-') === true) {
    throw new InputError('Only one of --tools and --batch can be read from stdin');
  }
}

interface Task {
  readonly searcher: Searcher;
  readonly flags: SearchFlags;
  readonly context: CommandContext;
}

async function searchOnce(query: string, { searcher, flags, context }: Task): Promise<void> {
  const { io, terminal } = context;
  const result = await whileShowing(io, 'Searching', () => ask(query, searcher, flags));
  if (flags.json === true) {
    await print(io, JSON.stringify(describeAnswer(query, result, flags.engine)));
  } else {
    await tellCaveats(result, context);
    await print(io, renderHits(result, terminal));
  }
  if (result.verdict === 'none') context.exit(EXIT.nothingFound);
}

function describeAnswer(query: string, result: SearchResult, engine: EngineName): object {
  const hits = result.hits.map(({ also, ...hit }) => ({
    ...describeHit(hit),
    description: hit.tool.description,
    ...(also === undefined ? {} : { also: also.map((one) => one.id) }),
  }));
  const { hits: _, ...rest } = result;
  return { query, engine, hits, ...rest };
}

/** An answer in a batch: shorter, with near-duplicates as separate entries. */
function describeBatchAnswer(query: string, { result, error }: Tried, { engine, limit }: SearchFlags): object {
  const { hits, ...rest } = result;
  const found = foundTools(hits, limit).map(describeHit);
  return { query, engine, hits: found, ...rest, ...(error === undefined ? {} : { error: error.message }) };
}

function describeHit({ tool, score, explanation }: Omit<Hit, 'also'>): object {
  return {
    id: tool.id,
    ...defined({ server: tool.server }),
    name: tool.name,
    score,
    ...defined({ explanation }),
  };
}

/** Results don't show that an operator was not applied, or that they are without the reranker. */
async function tellCaveats(
  { unresolved = [], reranker }: SearchResult,
  { io, terminal }: CommandContext,
): Promise<void> {
  if (unresolved.length > 0) {
    const what = oneLine(unresolved.join(', '), terminal.width);
    await note(io, `Searched as plain words, because nothing in the catalog matches it: ${what}`);
  }
  if (reranker === undefined || reranker.kind === 'used') return;
  await note(io, oneLine(`Answered without the reranker: ${reranker.reason}`, terminal.width));
}

/**
 * One answer per line and query, in order. A query that the engine rejects (a malformed pattern) has its line too, with an
 * `error`; the exit status is then that of bad input, once all are answered.
 */
async function searchBatch(file: string, { searcher, flags, context }: Task): Promise<void> {
  const { io, terminal } = context;
  let asked = 0;
  let found = 0;
  let failed = 0;
  for await (const query of readBareQueries(file, io.stdin)) {
    asked += 1;
    const tried = await tryQuery(query, searcher, flags);
    const { result, error } = tried;
    if (error !== undefined) failed += 1;
    else if (result.verdict === 'match') found += 1;
    if (flags.json === true) {
      await print(io, JSON.stringify(describeBatchAnswer(query, tried, flags)));
    } else {
      await tellCaveats(result, context);
      const answer = error === undefined ? renderHits(result, terminal) : error.message;
      await print(io, `${terminal.paint.cyan(oneLine(query, terminal.width))}\n${answer}\n`);
    }
  }
  if (asked === 0) throw new InputError(`${inputName(file)}: no queries found`);
  if (failed > 0) {
    const whose = failed === 1 ? 'its line says' : 'their lines say';
    const what = `${counted(failed, 'query', 'queries')} could not be answered by the engine "${flags.engine}"`;
    await note(io, `${what}; ${whose} why.`);
    context.exit(EXIT.badInput);
  } else if (found === 0) {
    context.exit(EXIT.nothingFound);
  }
}

interface Tried {
  readonly result: SearchResult;
  readonly error?: Error;
}

async function tryQuery(query: string, searcher: Searcher, flags: SearchFlags): Promise<Tried> {
  try {
    return { result: await ask(query, searcher, flags) };
  } catch (error) {
    if (!(error instanceof QuartermasterError || error instanceof InputError)) throw error;
    return { result: { hits: [], verdict: 'none' }, error };
  }
}

/** The engine says what is wrong and where; this adds the pattern itself. */
async function ask(query: string, searcher: Searcher, { limit, explain }: SearchFlags): Promise<SearchResult> {
  try {
    return await searcher.search({ query, limit, explain: explain === true });
  } catch (error) {
    if (!(error instanceof PatternError) || error.code !== 'invalid_pattern') throw error;
    throw new InputError(`The pattern ${JSON.stringify(query)} is malformed: ${error.message}`, { cause: error });
  }
}

async function explainStanding(
  query: string,
  label: string,
  { searcher, snapshot, flags, context }: Task & { readonly snapshot: Parameters<typeof findTools>[1] },
): Promise<void> {
  const { io, terminal } = context;
  let isListed = false;
  for (const tool of findTools(label, snapshot)) {
    const standing = await whileShowing(io, 'Searching', () => searcher.explain({ query, limit: flags.limit }, tool));
    isListed ||= standing.kind === 'listed';
    const text =
      flags.json === true
        ? JSON.stringify({ query, tool: tool.id, ...standing })
        : renderStanding(tool, standing, terminal);
    await print(io, text);
  }
  if (!isListed) context.exit(EXIT.nothingFound);
}

const EXAMPLES = `
Examples:
  $ quartermaster search "send an email to a customer"
  $ quartermaster search "open pull requests" --tools github.json jira.json.gz
  $ quartermaster search "^(get|list)_.*user" -e regex --tools catalog.jsonl
  $ quartermaster search "refund a payment" --why stripe/refunds.create
  $ quartermaster search "read a file" --mcp-config .mcp.json
  $ curl -s https://api.example.com/tools.json |
      quartermaster search "read a file" --tools -
  $ quartermaster search --batch queries.jsonl --tools catalog.jsonl --json

Operators: select:A,B takes tools by name, +word is required, server:NAME
narrows to one server. An operator that matches nothing in the catalog is read
as plain words; stderr says so, or "unresolved" with --json.
Exit status: 0 something fits, 1 nothing fits, 2 the command line or a file
is invalid.`;
