import { writeFile } from 'node:fs/promises';
import { print } from '../command-io.ts';
import type { CommandContext, LintFlags, LoadedCatalog } from '../commands/index.ts';
import { isLarge, prepareSearcher, startEngine } from '../create-searcher.ts';
import { evaluateQueries, findShortfalls, makeReport } from '../evaluate/index.ts';
import { EXIT } from '../exit-code.ts';
import { readAllQueries } from '../input/index.ts';
import { InputError } from '../input-error.ts';
import { startProgress } from '../terminal/index.ts';
import { checkDefinitions } from './check-definitions.ts';
import { findConfusions } from './find-confusions.ts';
import { describeTwins, findTwins } from './find-twins.ts';
import { type Finding, levelOf } from './finding.ts';
import { type Place, renderFindings, toSarif, toSuggestions } from './render-findings.ts';

/** Checks a catalog, prints the findings, and fails on errors. */
export async function lintCatalog(catalog: LoadedCatalog, flags: LintFlags, context: CommandContext): Promise<void> {
  const { io, terminal } = context;
  const findings = await findAll(catalog, flags, context);
  const tools = catalog.snapshot.tools.length;
  const errors = findings.filter((finding) => levelOf(finding) === 'error').length;
  const text =
    flags.json === true
      ? JSON.stringify({ tools, errors, warnings: findings.length - errors, findings: findings.map(toJson) }, null, 2)
      : renderFindings({ tools, findings }, flags.top, terminal);
  await print(io, text);
  if (flags.sarif !== undefined) await writeJson(flags.sarif, toSarif(findings, placing(catalog, flags)));
  if (flags.fix !== undefined) await writeJson(flags.fix, toSuggestions(findings));
  if (errors > 0 || (flags.strict === true && findings.length > 0)) context.exit(EXIT.findings);
}

async function findAll(
  { snapshot, skipped, skippedCount }: LoadedCatalog,
  { maxTokensPerServer, engine, search, queries, floor }: LintFlags,
  { io }: CommandContext,
): Promise<readonly Finding[]> {
  const comparing = startProgress(io);
  if (isLarge(snapshot)) comparing.announce('Comparing definitions');
  const onCompared = (done: number): void => comparing.update('Tools compared', done, snapshot.tools.length);
  const twins = findTwins(snapshot.tools, onCompared);
  const findings: Finding[] = [...skipped.map(unreadable)];
  if (skippedCount > skipped.length) findings.push(unreadable(`… and ${skippedCount - skipped.length} more`));
  if (isLarge(snapshot)) comparing.announce('Checking definitions');
  findings.push(...checkDefinitions(snapshot, { tokensPerServer: maxTokensPerServer }), ...describeTwins(twins));
  comparing.end();
  if (!search) return findings;
  const progress = startProgress(io);
  try {
    const { searcher } = await startEngine(engine, snapshot, { io });
    await prepareSearcher(searcher, snapshot, io);
    progress.announce('Searching for each tool');
    const onProgress = (done: number): void => progress.update('Tools searched for', done, snapshot.tools.length);
    findings.push(...(await findConfusions(snapshot.tools, { searcher, twins, onProgress })));
    if (queries !== undefined && floor !== undefined) {
      const asked = await readAllQueries(queries, io.stdin);
      const onQuery = (done: number): void => progress.update('Queries', done, asked.length);
      const outcomes = await evaluateQueries(asked, { searcher, snapshot, onProgress: onQuery });
      findings.push(...findShortfalls(makeReport(outcomes).all, floor).map(belowFloor));
    }
    return findings;
  } finally {
    progress.end();
  }
}

function belowFloor(message: string): Finding {
  const note =
    'quartermaster eval shows which kinds of queries are lost; quartermaster enrich adds words to find tools by';
  return { rule: 'below-floor', message, suggestion: { note } };
}

function unreadable(message: string): Finding {
  return { rule: 'unreadable', message, suggestion: { note: message } };
}

function toJson(finding: Finding): object {
  const { rule, tool, message, suggestion } = finding;
  return { rule, level: levelOf(finding), ...(tool === undefined ? {} : { tool: tool.id }), message, suggestion };
}

/** Tools of servers have no file; their findings point at the file that names the servers. */
function placing({ placeOf }: LoadedCatalog, { tools, mcpConfig }: LintFlags): (finding: Finding) => Place {
  const fallback: Place = { file: tools?.[0] ?? mcpConfig?.[0] ?? 'catalog', line: 1 };
  return ({ tool }) => (tool === undefined ? undefined : placeOf(tool.id)) ?? fallback;
}

async function writeJson(path: string, value: object): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InputError(`${path} can't be written (${reason})`, { cause: error });
  }
}
