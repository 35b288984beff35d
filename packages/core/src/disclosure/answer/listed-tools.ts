import type { Tool } from '../../catalog/index.ts';
import { readCandidateQuery, readToolTerms } from '../../search/internal.ts';
import type { DeferPlan } from '../plan/plan.ts';

/** The tool in the model's own list that a query names, ignoring case and punctuation: no search returns it. */
export function listedName(plan: DeferPlan, query: string): string | undefined {
  const wanted = bareName(query.replace(/^select:/i, ''));
  if (wanted === '') return undefined;
  return plan.shown.find(({ name, as }) => as === 'full' && bareName(name) === wanted)?.name;
}

/** How many tools of the list are compared with a query, and how many are named. */
const MOST_COMPARED = 200;
const MOST_NAMED = 3;

/** The share of a query's words, by weight, that a tool must contain. */
const LEAST_SHARE = 0.5;

/** A word that frames a request ("get", "show") says little about what is wanted; words below this weight say nothing. */
const LEAST_WEIGHT = 0.4;

/**
 * Tools in the model's own list that a query describes: it contains all words of their names, or they contain most of its words, one of
 * them in the name. Best first. Computed from query and plan only, because a replay has nothing else.
 */
export function describedTools(plan: DeferPlan, query: string): readonly string[] {
  const words = readCandidateQuery(query, () => false).words;
  const total = sum(words);
  if (total === 0) return [];
  const wanted = new Set(words.map(({ stem }) => stem));
  return plan.shown
    .filter(({ as }) => as === 'full')
    .slice(0, MOST_COMPARED)
    .flatMap(({ name, tool }) => {
      const { stems, nameStems } = termsOf(tool);
      const shared = words.filter(({ stem }) => stems.has(stem));
      const share = sum(shared) / total;
      const said = shared.some(({ stem, weight }) => weight >= LEAST_WEIGHT && nameStems.includes(stem));
      const isDescribed = said && (share >= LEAST_SHARE || nameStems.every((stem) => wanted.has(stem)));
      return isDescribed ? [{ name, share }] : [];
    })
    .sort((left, right) => right.share - left.share)
    .slice(0, MOST_NAMED)
    .map(({ name }) => name);
}

function sum(words: readonly { readonly weight: number }[]): number {
  return words.reduce((total, { weight }) => total + weight, 0);
}

interface ListedTerms {
  readonly stems: ReadonlySet<string>;
  readonly nameStems: readonly string[];
}

/** The list is the same in every turn. */
const known = new WeakMap<Tool, ListedTerms>();

function termsOf(tool: Tool): ListedTerms {
  const terms = known.get(tool) ?? readTerms(tool);
  known.set(tool, terms);
  return terms;
}

function readTerms(tool: Tool): ListedTerms {
  const spaced = tool.name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').toLowerCase();
  const said = (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !READS.has(word));
  const { words } = readCandidateQuery(said.join(' '), () => false);
  return { stems: readToolTerms(tool).stems, nameStems: words.map(({ stem }) => stem) };
}

/** A request for the weather does not contain the word "get". */
const READS: ReadonlySet<string> = new Set('get list show fetch find read query lookup search'.split(' '));

function bareName(text: string): string {
  return text
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
