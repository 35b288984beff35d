import type { Searcher, Tool } from '@quartermaster/core';
import { foundTools } from '../found-tools.ts';
import type { Finding } from './finding.ts';
import { firstSentence, nameKey, wordsOf } from './words.ts';

export interface ConfusionOptions {
  readonly searcher: Searcher;
  /** Tools known to be alike: it is no news that one of them ranks first. */
  readonly twins: ReadonlyMap<Tool, Tool>;
  onProgress?(done: number): void;
}

/** Searches for every tool by its own name and its own first sentence. If these don't find it, nothing else will. */
export async function findConfusions(
  tools: readonly Tool[],
  { searcher, twins, onProgress }: ConfusionOptions,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [index, tool] of tools.entries()) {
    onProgress?.(index);
    const lost: Lost[] = [];
    for (const query of queriesFor(tool)) {
      const { hits } = await searcher.search({ query, limit: DEPTH });
      const ranking = foundTools(hits, DEPTH).map((hit) => hit.tool);
      const rank = ranking.indexOf(tool) + 1;
      const [winner] = ranking;
      if (rank === 1 || (winner !== undefined && isAlike(winner, tool, twins))) continue;
      lost.push({ query, rank, winner });
    }
    const worst = lost.find(({ rank }) => rank === 0 || rank > FIRST) ?? lost[0];
    if (worst !== undefined) findings.push(describe(tool, worst));
  }
  return findings;
}

interface Lost {
  readonly query: string;
  /** 0 if it is not among the first ten. */
  readonly rank: number;
  readonly winner: Tool | undefined;
}

function describe(tool: Tool, { query, rank, winner }: Lost): Finding {
  const isFound = rank > 0 && rank <= FIRST;
  const place = rank === 0 ? `not among the first ${DEPTH}` : `at rank ${rank}`;
  const after = winner === undefined ? '' : `, ${winner.id} is first`;
  const note =
    winner === undefined
      ? 'Describe it in the words that people use for it'
      : `Say in the first sentence what sets it apart from ${winner.id}`;
  return {
    rule: isFound ? 'confused' : 'not-found',
    tool,
    message: `${JSON.stringify(query)}: ${place}${after}`,
    suggestion: { note },
  };
}

function isAlike(winner: Tool, tool: Tool, twins: ReadonlyMap<Tool, Tool>): boolean {
  if (twins.get(winner) === tool || twins.get(tool) === winner) return true;
  return nameKey(winner.name) === nameKey(tool.name);
}

/** As plain words: a name or a text must not be read as an operator. */
function queriesFor(tool: Tool): readonly string[] {
  const sentence = firstSentence(tool.description).replace(/(^|\s)\+|:/g, '$1 ');
  const queries = [wordsOf(tool.name).join(' '), sentence].map((query) => query.trim()).filter((query) => query !== '');
  return [...new Set(queries)];
}

const DEPTH = 10;
/** How many tools a default answer has. */
const FIRST = 5;
