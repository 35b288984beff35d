import type { Tool } from '@quartermaster/core';
import type { Finding } from './finding.ts';
import { wordsOf } from './words.ts';

/** Tools that say the same, each with one that it is alike. */
export function findTwins(tools: readonly Tool[]): ReadonlyMap<Tool, Tool> {
  const groups = groupBySet(tools);
  const twins = new Map<Tool, Tool>();
  for (const { members } of groups) {
    const [first, second] = members;
    if (first === undefined || second === undefined) continue;
    for (const member of members) twins.set(member, member === first ? second : first);
  }
  for (const [one, other] of alikeSets(groups)) {
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
 * Pairs whose words overlap by nine tenths (Jaccard). Two such sets share a word among their few rarest ones, so that only those
 * are looked up (prefix filtering, Chaudhuri et al. 2006).
 */
function* alikeSets(groups: readonly Group[]): Generator<readonly [Group, Group]> {
  const frequency = new Map<string, number>();
  for (const { words } of groups) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const byWord = new Map<string, Group[]>();
  for (const group of groups) {
    const rarest = [...group.words].sort(
      (a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || (a < b ? -1 : 1),
    );
    const own = new Set(group.words);
    const seen = new Set<Group>();
    for (const word of rarest.slice(0, rarest.length - Math.ceil(ALIKE * rarest.length) + 1)) {
      const earlier = byWord.get(word) ?? [];
      for (const other of earlier) {
        if (seen.has(other)) continue;
        seen.add(other);
        if (overlap(own, other.words) >= ALIKE) yield [group, other];
      }
      // A word that so many share tells nothing apart; looking at all of them would take the square of their number.
      if (earlier.length < MOST_CANDIDATES) earlier.push(group);
      byWord.set(word, earlier);
    }
  }
}

function overlap(own: ReadonlySet<string>, other: readonly string[]): number {
  const shared = other.filter((word) => own.has(word)).length;
  return shared / (own.size + other.length - shared);
}

const ALIKE = 0.9;
const FEWEST_WORDS = 4;
const MOST_CANDIDATES = 1_000;
