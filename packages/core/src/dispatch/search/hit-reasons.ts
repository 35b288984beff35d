import type { Tool } from '../../catalog/index.ts';
import {
  CALLED_ALONG,
  CALLED_BEFORE,
  type Explanation,
  type Hit,
  NAMED,
  readCandidateQuery,
  readToolTerms,
  SIBLING,
} from '../../search/index.ts';

/** How many shared words a reason names. */
const MOST_WORDS = 4;

/** A word that frames a request ("give", "show") explains little; those below this weight explain nothing. */
const LEAST_WEIGHT = 0.4;

/** Why each hit was found, in a few words: `meaning 0.57; "customer", "payment"`. Empty where there is nothing to say. */
export function hitReasons(hits: readonly Hit[], queries: readonly string[]): readonly string[] {
  const words = queries
    .flatMap((query) => readCandidateQuery(query, () => false).words)
    .filter(({ weight }) => weight >= LEAST_WEIGHT)
    .sort((left, right) => right.weight - left.weight);
  return hits.map(({ tool, explanation }) => {
    const stems = stemsOf(tool);
    const shared = new Set(words.filter(({ stem }) => stems.has(stem)).map(({ word }) => JSON.stringify(word)));
    return [...pointsOf(explanation), [...shared].slice(0, MOST_WORDS).join(', ')]
      .filter((part) => part !== '')
      .join('; ');
  });
}

/** What the parts of a score say beside its words. */
function pointsOf(explanation: Explanation | undefined): readonly string[] {
  if (explanation === undefined) return [];
  const { what, details } = explanation;
  const feature = FEATURE.exec(what);
  if (feature !== null) return [`meaning ${Number(feature[1]).toFixed(2)}`];
  return [...(PLAIN.has(what) ? [what] : []), ...details.flatMap(pointsOf)];
}

const FEATURE = /^\S+ × (\S+): meaning: /;

/** Parts that are reasons as they stand. */
const PLAIN: ReadonlySet<string> = new Set([NAMED, CALLED_BEFORE, CALLED_ALONG, SIBLING]);

/** Found tools come again and again: each is read once. */
const known = new WeakMap<Tool, ReadonlySet<string>>();

function stemsOf(tool: Tool): ReadonlySet<string> {
  const stems = known.get(tool) ?? readToolTerms(tool).stems;
  known.set(tool, stems);
  return stems;
}
