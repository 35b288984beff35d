import { createInterface } from 'node:readline';
import type { Searcher, Snapshot } from '@quartermaster/core';
import { DEFAULT_CONTEXT_TOKENS } from '@quartermaster/core/gate';
import { print } from '../command-io.ts';
import { createSearcher, DEFAULT_ENGINE } from '../create-searcher.ts';
import { readTools } from '../input/index.ts';
import { InputError } from '../input-error.ts';
import { type CatalogCosts, inspectCatalog } from '../inspect-catalog.ts';
import { findSampleCatalog } from '../sample-catalog.ts';
import { count, renderBars, renderHits, renderStanding, type Terminal } from '../terminal/index.ts';
import type { CommandContext, CommandLine } from './command-line.ts';
import { findTools } from './find-tools.ts';

export function addDemoCommand(program: CommandLine): void {
  program
    .command('demo')
    .description('take a short tour of the sample catalog; in a terminal, ask your own questions')
    .examples(EXAMPLES)
    .action(() => demo(program.context));
}

async function demo(context: CommandContext): Promise<void> {
  const { io, terminal } = context;
  const { snapshot } = await readTools(findSampleCatalog().tools, { stdin: io.stdin });
  const searcher = await createSearcher(DEFAULT_ENGINE, snapshot);
  const costs = inspectCatalog(snapshot, { contextTokens: DEFAULT_CONTEXT_TOKENS, searcher });
  await print(io, `${renderGreeting(snapshot, costs, terminal)}\n`);
  for (const query of QUERIES) {
    const result = await searcher.search({ query, limit: 3 });
    await print(io, `${terminal.paint.cyan(`› ${query}`)}\n${renderHits(result, terminal)}\n`);
  }
  if (io.stdin.isTTY === true) await converse({ searcher, snapshot, context });
  else await print(io, HINTS);
}

function renderGreeting(snapshot: Snapshot, costs: CatalogCosts, terminal: Terminal): string {
  const { paint } = terminal;
  const after = (costs.deferred[0]?.tokens ?? 0) + costs.answerTokens;
  const bars = [
    { label: 'all tools inline', value: costs.tokens, note: `${count(costs.tokens)} tokens` },
    { label: 'search, five found', value: after, note: `${count(after)} tokens` },
  ];
  return [
    paint.bold('Quartermaster: thousands of tools for any model, which reads only the few it needs.'),
    `This is the sample catalog: ${snapshot.tools.length} tools of ${snapshot.servers.length} services.`,
    'A model could read all of them on every turn, or search and read what it finds:',
    '',
    renderBars(bars, terminal),
  ].join('\n');
}

interface Conversation {
  readonly searcher: Searcher;
  readonly snapshot: Snapshot;
  readonly context: CommandContext;
}

/** Answers lines until `:quit` or the end of input. `:why` refers to the last query. */
async function converse({ searcher, snapshot, context }: Conversation): Promise<void> {
  const { io, terminal } = context;
  await print(io, 'Your turn. Type a request in your own words, :why TOOL about the last one, or :quit.');
  // Nothing may wait between here and the loop: lines that arrive before it listens are lost.
  const lines = createInterface({ input: io.stdin, output: io.stdout, prompt: '› ' });
  let last = QUERIES[QUERIES.length - 1] ?? '';
  lines.prompt();
  for await (const line of lines) {
    const text = line.trim();
    if (text === ':quit' || text === ':q') break;
    if (text.startsWith(':why')) {
      await print(io, await tellWhy(text.slice(':why'.length).trim(), last, { searcher, snapshot, context }));
    } else if (text.startsWith(':')) {
      await print(io, `Unknown command ${text}. Commands: :why TOOL, :quit`);
    } else if (text !== '') {
      last = text;
      await print(io, renderHits(await searcher.search({ query: text }), terminal));
    }
    lines.prompt();
  }
  lines.close();
}

async function tellWhy(label: string, query: string, { searcher, snapshot, context }: Conversation): Promise<string> {
  try {
    const tools = findTools(label, snapshot);
    const texts = tools.map(async (tool) =>
      renderStanding(tool, await searcher.explain({ query }, tool), context.terminal),
    );
    return (await Promise.all(texts)).join('\n');
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

/** Requests that name no tool and no service. */
const QUERIES = ['refund a payment', 'find a free slot for a meeting', 'scale the web deployment to five replicas'];

const EXAMPLES = `
Examples:
  $ quartermaster demo
  $ quartermaster demo | less

Exit status: 0 done.`;

const HINTS = `What to try next:
  quartermaster search "move the meeting to Friday" --explain
  quartermaster inspect
  quartermaster eval
  quartermaster search "…" --tools your-catalog.json`;
