import type { Tool } from '@quartermaster/core';
import type { Finding } from './finding.ts';
import { wordsOf } from './words.ts';

/** Tools with the same text, each with a tool that it resembles. `onProgress` gets the number of tools compared so far. */
export function findTwins(tools: readonly Tool[], onProgress?: (done: number) => void): ReadonlyMap<Tool, Tool> {
  const groups = groupBySet(tools);
  const twins = new Map<Tool, Tool>();
  for (const { members } of groups) {
    const [first, second] = members;
    if (first === undefined || second === undefined) continue;
    for (const member of members) twins.set(member, member === first ? second : first);
  }
  for (const [one, other] of alikeSets(groups, onProgress)) {
    const [a] = one.members;
    const [b] = other.members;
    if (a === undefined || b === undefined) continue;
    for (const member of one.members) if (!twins.has(member)) twins.set(member, b);
    for (const member of other.members) if (!twins.has(member)) twins.set(member, a);
  }
  return twins;
}

export function describeTwins(twins: ReadonlyMap<Tool, Tool>): readonly Finding[] {
  return [...twins].map(([tool, other]) => ({
    rule: 'twins',
    tool,
    message: `its text is nearly the same as that of ${other.id}`,
    suggestion: { note: `Say how it differs from ${other.id}, or remove one of the two` },
  }));
}

interface Group {
  readonly words: readonly string[];
  readonly members: Tool[];
}

/** A group whose words are numbers, the rarest word first, so that two of them are compared in one pass. */
interface RankedGroup {
  readonly group: Group;
  readonly ranks: readonly number[];
}

function groupBySet(tools: readonly Tool[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const tool of tools) {
    const words = [...new Set(wordsOf(tool.description))].sort();
    if (words.length < FEWEST_WORDS) continue;
    const key = words.join(' ');
    const group = groups.get(key) ?? { words, members: [] };
    group.members.push(tool);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * Pairs whose words overlap by nine tenths (Jaccard). Two such sets share one of their rarest words, so only those
 * are looked up (prefix filtering, Chaudhuri et al. 2006).
 */
function* alikeSets(groups: readonly Group[], onProgress?: (done: number) => void): Generator<readonly [Group, Group]> {
  const byRank: RankedGroup[][] = [];
  let done = 0;
  for (const own of rankWords(groups)) {
    const { group, ranks } = own;
    for (const rank of ranks.slice(0, ranks.length - Math.ceil(ALIKE * ranks.length) + 1)) {
      const earlier = byRank[rank] ?? [];
      for (const other of earlier) if (areAlike(ranks, other.ranks)) yield [group, other.group];
      // A word that so many tools share distinguishes nothing, and comparing all of them would take quadratic time.
      if (earlier.length < MOST_CANDIDATES) earlier.push(own);
      byRank[rank] = earlier;
    }
    done += group.members.length;
    onProgress?.(done);
  }
}

function rankWords(groups: readonly Group[]): readonly RankedGroup[] {
  const frequency = new Map<string, number>();
  for (const { words } of groups) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const byRarity = [...frequency].sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1));
  const rankOf = new Map(byRarity.map(([word], rank) => [word, rank]));
  return groups.map((group) => ({
    group,
    ranks: group.words.map((word) => rankOf.get(word) ?? 0).sort((a, b) => a - b),
  }));
}

/** Whether the overlap is large enough. Stops at the first word too many that only one of them has. */
function areAlike(one: readonly number[], other: readonly number[]): boolean {
  const total = one.length + other.length;
  const fewestShared = Math.ceil((ALIKE / (1 + ALIKE)) * total - ROUNDING);
  let missesLeft = total - 2 * fewestShared;
  let [i, j] = [0, 0];
  while (i < one.length && j < other.length && missesLeft >= 0) {
    const difference = (one[i] ?? 0) - (other[j] ?? 0);
    if (difference !== 0) missesLeft -= 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return missesLeft >= total - i - j;
}

const ALIKE = 0.9;
/** Far below one word, above the rounding error of a product. */
const ROUNDING = 1e-9;
const FEWEST_WORDS = 4;
const MOST_CANDIDATES = 1_000;
