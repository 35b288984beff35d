import type { Searcher, Snapshot } from '@quartermaster/core';
import { print } from '../command-io.ts';
import { type CommandContext, findTools, similarNames } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { renderHits, renderStanding, whileShowing, wrap } from '../terminal/index.ts';

export interface ToolQuestion {
  readonly query: string;
  readonly label: string | undefined;
  readonly snapshot: Snapshot;
  readonly searcher: Searcher;
  /** Servers whose tools are missing from the catalog. */
  readonly missingServers: readonly string[];
  readonly isJson: boolean;
}

/** Says whether a request finds a tool and why, then what is found instead. */
export async function explainTool(question: ToolQuestion, { io, terminal, exit }: CommandContext): Promise<void> {
  const { query, label, snapshot, searcher, missingServers, isJson } = question;
  const result = await whileShowing(io, 'Searching', () => searcher.search({ query }));
  const tools = label === undefined ? [] : findOrNone(label, snapshot);
  const standings = [];
  for (const tool of tools) standings.push({ tool, standing: await searcher.explain({ query }, tool) });
  const isFound =
    label === undefined ? result.verdict === 'match' : standings.some(({ standing }) => standing.kind === 'listed');
  if (isJson) {
    const answer = {
      query,
      found: isFound,
      standings: standings.map(({ tool, standing }) => ({ tool: tool.id, ...standing })),
      hits: result.hits.map(({ tool, score }) => ({ id: tool.id, score })),
      ...(label !== undefined && tools.length === 0 ? { nearest: similarNames(label, snapshot), missingServers } : {}),
    };
    await print(io, JSON.stringify(answer, null, 2));
  } else {
    const parts = standings.map(({ tool, standing }) => renderStanding(tool, standing, terminal));
    if (label !== undefined && tools.length === 0)
      parts.push(wrap(describeUnknown(label, question), terminal.width, { hanging: 2 }));
    if (!isFound || label === undefined) parts.push(`What is found for it:\n${renderHits(result, terminal)}`);
    if (!isFound && tools.length > 0) parts.push(wrap(FIX, terminal.width, { hanging: 2 }));
    await print(io, parts.join('\n\n'));
  }
  if (!isFound) exit(EXIT.findings);
}

function findOrNone(label: string, snapshot: Snapshot): ReturnType<typeof findTools> {
  try {
    return findTools(label, snapshot);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

function describeUnknown(label: string, { snapshot, missingServers }: ToolQuestion): string {
  const near = similarNames(label, snapshot);
  return [
    `${JSON.stringify(label)} is not found: no tool of the catalog has this name.`,
    ...(near.length === 0 ? [] : [`Similar names: ${near.join(', ')}.`]),
    ...(missingServers.length === 0 ? [] : [`These servers do not respond: ${missingServers.join(', ')}.`]),
  ].join(' ');
}

const FIX =
  'Fix: put the words of such requests into the first sentence of its description. quartermaster lint checks all tools of a catalog.';
