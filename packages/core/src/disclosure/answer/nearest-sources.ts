import type { Snapshot, Tool } from '../../catalog/index.ts';
import { countEach } from '../../count-each.ts';
import { runToEnd, visitInSteps } from '../../slices.ts';
import { FEWEST_OF_A_PREFIX, namePrefix, oneLine } from '../text/shorten-text.ts';
import type { TellQuestion } from './tell.ts';

const MOST_SOURCES = 4;
const SERVER_NAME_LENGTH = 60;
const MOST_QUERY_TERMS = 32;

/**
 * The sources that share the most words with the query, each with its number of tools: `github (31)`. A tool without a server belongs
 * to those whose names begin as its own: `billing_* (12)`. The largest ones when no word is shared. Made from query and catalog alone, because a replay knows nothing else.
 */
export function nearestSources(
  { snapshot, allow }: Pick<TellQuestion, 'snapshot' | 'allow'>,
  queries: readonly string[],
): readonly string[] {
  const index = indexOf(snapshot);
  const totals = allow === undefined ? index.totals : countBySource(snapshot.tools.filter(allow));
  const scores = new Map<string, number>();
  const words = queries.flatMap((query) => splitWords(query.slice(0, 1000)));
  const terms = new Set(words.slice(0, MOST_QUERY_TERMS));
  for (const term of terms) {
    for (const server of index.servers.get(term) ?? []) {
      if (totals.has(server)) scores.set(server, (scores.get(server) ?? 0) + 1);
    }
  }
  const score = (server: string): number => scores.get(server) ?? 0;
  return [...totals]
    .filter(([server]) => scores.size === 0 || scores.has(server))
    .sort(([left, leftCount], [right, rightCount]) => {
      return score(right) - score(left) || rightCount - leftCount || (left < right ? -1 : 1);
    })
    .slice(0, MOST_SOURCES)
    .map(([server, count]) => `${oneLine(server, SERVER_NAME_LENGTH)} (${count})`);
}

interface SourceIndex {
  /** Which servers use a word, in their own name or a tool's. */
  readonly servers: ReadonlyMap<string, ReadonlySet<string>>;
  readonly totals: ReadonlyMap<string, number>;
}

const indexes = new WeakMap<Snapshot, SourceIndex>();

function indexOf(snapshot: Snapshot): SourceIndex {
  return indexes.get(snapshot) ?? runToEnd(indexSourcesInSteps(snapshot));
}

/** Reads what {@link nearestSources} needs of a catalog, once, with a yield after some tools each. */
export function* indexSourcesInSteps(snapshot: Snapshot): Generator<void, SourceIndex> {
  const known = indexes.get(snapshot);
  if (known !== undefined) return known;
  const servers = new Map<string, Set<string>>();
  yield* visitInSteps(snapshot.tools, (tool) => {
    const source = sourceOf(tool);
    if (source === undefined) return;
    for (const word of splitWords(`${source} ${tool.name}`)) {
      const using = servers.get(word) ?? new Set();
      using.add(source);
      servers.set(word, using);
    }
  });
  yield;
  const index = { servers, totals: countBySource(snapshot.tools) };
  indexes.set(snapshot, index);
  return index;
}

function countBySource(tools: readonly Tool[]): Map<string, number> {
  const totals = countEach(tools.flatMap((tool) => sourceOf(tool) ?? []));
  const servers = new Set(tools.map(({ server }) => server));
  for (const [source, count] of totals) if (count < FEWEST_OF_A_PREFIX && !servers.has(source)) totals.delete(source);
  return totals;
}

function sourceOf({ server, name }: Tool): string | undefined {
  if (server !== undefined) return server;
  const prefix = namePrefix(name);
  return prefix === undefined ? undefined : `${prefix}*`;
}

/** Lower-case words of an identifier or a sentence, without a plural `s`, the only inflection in which names differ. */
function splitWords(text: string): string[] {
  const spaced = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').toLowerCase();
  const words = spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 1).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
}
