import { createBm25Searcher } from '@quartermaster/core';
import { print } from '../command-io.ts';
import { isLarge } from '../create-searcher.ts';
import { type CatalogCosts, inspectCatalog } from '../inspect-catalog.ts';
import {
  count,
  counted,
  percentOf,
  renderBars,
  renderTable,
  right,
  startProgress,
  type Terminal,
  wrap,
} from '../terminal/index.ts';
import { addCatalogOptions, type CatalogFlags, loadCatalog } from './catalog-options.ts';
import type { CommandContext, CommandLine } from './command-line.ts';
import { wholeNumber } from './option-values.ts';

interface InspectFlags extends CatalogFlags {
  readonly context: number;
  readonly top: number;
  readonly json?: boolean;
}

export function addInspectCommand(program: CommandLine): void {
  const command = program
    .command('inspect')
    .description('show what a catalog costs in tokens, and what deferral saves');
  addCatalogOptions(command)
    .modelContext("the model's context window")
    .option('--top <n>', 'how many servers and tools to show', wholeNumber(1, 1_000), 15)
    .option('--json', 'write one JSON object with every tool')
    .examples(EXAMPLES)
    .action((flags: InspectFlags) => inspect(flags, program.context));
}

async function inspect(flags: InspectFlags, context: CommandContext): Promise<void> {
  const snapshot = await loadCatalog(flags, context);
  const progress = startProgress(context.io);
  if (isLarge(snapshot)) progress.announce(`Counting the tokens of ${counted(snapshot.tools.length, 'tool')}`);
  const costs = inspectCatalog(snapshot, { contextTokens: flags.context, searcher: createBm25Searcher(snapshot) });
  progress.end();
  const text = flags.json === true ? JSON.stringify(costs, null, 2) : renderCosts(costs, flags.top, context.terminal);
  await print(context.io, text);
}

function renderCosts(costs: CatalogCosts, top: number, terminal: Terminal): string {
  const { paint, width } = terminal;
  const sentence = (text: string): string => wrap(text, width);
  const servers = costs.servers.slice(0, top).map(({ server, tools, tokens }) => ({
    label: server ?? '(no server)',
    value: tokens,
    note: `${counted(tokens, 'token')}, ${counted(tools, 'tool')}`,
  }));
  const tools = costs.byTool.slice(0, top).map(({ id, tokens }) => ({ label: id, value: tokens, note: count(tokens) }));
  const parts = [
    sentence(
      `${counted(costs.tools, 'tool')} ${costs.tools === 1 ? 'costs' : 'cost'} about ${paint.bold(count(costs.tokens))} tokens, ${percentOf(costs.tokens, costs.contextTokens)} of a context window of ${count(costs.contextTokens)}.`,
    ),
    `${paint.bold('By server')}${more(costs.servers.length, top)}\n${renderBars(servers, terminal)}`,
    `${paint.bold('By tool')}${more(costs.byTool.length, top)}\n${renderBars(tools, terminal)}`,
    `${paint.bold('With deferral')}\n${renderSavings(costs)}`,
    sentence(
      `An answer of ${counted(costs.answerTools, 'tool')} adds about ${count(costs.answerTokens)} tokens, only when the model asks.`,
    ),
    sentence(`By default: ${costs.gate.kind === 'defer' ? 'deferred' : 'sent in full'}. ${costs.gate.reason}.`),
    paint.dim('Tokens are estimated as characters / 4.'),
  ];
  return parts.join('\n\n');
}

function renderSavings({ tokens, contextTokens, deferred }: CatalogCosts): string {
  const rows = deferred.map(({ form, tokens: after }) => [
    form,
    count(tokens),
    count(after),
    percentOf(after, contextTokens),
    after < tokens ? percentOf(tokens - after, tokens) : 'nothing',
  ]);
  return renderTable(['form', ...['before', 'after', 'of the window', 'saved'].map(right)], rows);
}

function more(size: number, top: number): string {
  return size > top ? ` (top ${top} of ${count(size)})` : '';
}

const EXAMPLES = `
Examples:
  $ quartermaster inspect
  $ quartermaster inspect --tools catalog.json --context 128000 --top 30
  $ quartermaster inspect --mcp-config .mcp.json
  $ quartermaster inspect --tools catalog.jsonl.gz --json

Exit status: 0 done, 2 the command line or a file is invalid.`;
