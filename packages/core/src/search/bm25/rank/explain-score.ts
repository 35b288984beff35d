import { searchText, type Tool } from '../../../catalog/index.ts';
import { type Explanation, explained } from '../../searcher.ts';
import { TokenKind, tokenize } from '../../text/tokenize.ts';
import { BM25_FIELDS, type Bm25Field } from '../bm25-options.ts';
import { type Bm25Index, IMPACT_SCALE } from '../index/bm25-index.ts';
import { fieldWeight } from '../index/write-postings.ts';
import { combineScore, scaleSum } from './match-features.ts';
import { type Match, type PlannedList, type QueryPlan, WEIGHT_SCALE } from './plan-query.ts';
import type { QueryRanker, Ranking, TermsRanking } from './rank-query.ts';

/** Breaks a ranking's score into its parts. The root's value is the score itself; fields are read from the tool's text again. */
export function explainRanking(ranker: QueryRanker, plan: QueryPlan, ranking: Ranking, tool: Tool): Explanation {
  const { score: value } = ranking;
  switch (ranking.kind) {
    case 'substring':
      return explained(value, 'share of the name that the query covers literally');
    case 'terms':
      return explainTerms(ranker.index, plan, ranking, tool);
    case 'name': {
      const sum = ranker.sumTerms(plan, ranking.tool);
      const features = ranker.features(plan, ranking.tool);
      const terms = { tool: ranking.tool, sum, features, score: combineScore(ranker.index, sum, features) };
      const bonus = explained(ranking.bonus, 'bonus for a name; earlier names get more');
      return explained(value, NAMED, [bonus, explainTerms(ranker.index, plan, terms, tool)]);
    }
  }
}

/** The first part of a score that depends on a name. */
export const NAMED = 'named by the query';

function explainTerms(index: Bm25Index, plan: QueryPlan, ranking: Omit<TermsRanking, 'kind'>, tool: Tool): Explanation {
  const occurrences = countOccurrences(index, tool);
  const lists = plan.lists
    .map((planned) => explainList(index, planned, ranking.tool, occurrences))
    .filter((explanation) => explanation !== undefined);
  if (ranking.features === undefined) {
    return explained(ranking.score, 'sum of the terms (ranked too low to be adjusted by name and bigrams)', lists);
  }
  const { nameCoverage, queryShare, bigrams } = ranking.features;
  const { nameCoverageWeight, nameMatchWeight, bigramWeight } = index.data.settings;
  const factor = 1 + nameCoverageWeight * nameCoverage + nameMatchWeight * Math.sqrt(nameCoverage * queryShare);
  const byName = `name: 1 + ${nameCoverageWeight} × coverage + ${nameMatchWeight} × √(coverage × share)`;
  const byBigrams = `bigrams: ${bigramWeight} × the smaller idf of each pair of adjacent words in both`;
  return explained(ranking.score, 'terms × name + bigrams', [
    explained(scaleSum(ranking.sum), 'sum of the terms', lists),
    explained(factor, byName, [
      explained(nameCoverage, 'coverage: how much of the name the query covers, weighted by idf'),
      explained(queryShare, 'share: how much of the query the name covers, weighted by idf'),
    ]),
    explained(bigramWeight * bigrams, byBigrams),
  ]);
}

function explainList(
  index: Bm25Index,
  planned: PlannedList,
  tool: number,
  occurrences: readonly Occurrence[],
): Explanation | undefined {
  const impact = index.impact(planned.list, tool);
  if (impact === 0) return undefined;
  const reasons = planned.reasons.map(({ word, match, weight }) =>
    explained(weight / WEIGHT_SCALE, `"${word}" ${MATCH_WORDS[match]}: weight including idf`),
  );
  const inQuery = `weight in the query${explainFrequency(index, planned.list)}`;
  const inTool = `weight in the tool: x / (x + ${index.data.settings.k1}), rounded, where x is the sum over its fields`;
  return explained(scaleSum(planned.weight * impact), `term "${planned.reasons[0]?.word ?? ''}"`, [
    explained(planned.weight / WEIGHT_SCALE, inQuery, reasons),
    explained(impact / IMPACT_SCALE, inTool, explainFields(index, planned.list, occurrences)),
  ]);
}

/** Undefined for a part of a catalog, where a list does not tell how many tools contain the word. */
function explainFrequency(index: Bm25Index, list: number): string {
  if (index.catalogSize !== index.toolCount) return '';
  return `; idf ${index.idf(list).toFixed(3)} (in ${index.listLength(list)} of ${index.toolCount} tools)`;
}

const MATCH_WORDS: Readonly<Record<Match, string>> = {
  exact: 'as written',
  stem: 'by its stem',
  typo: 'with one or two letters changed',
  compound: 'written as one word or apart',
};

/** One term in one field of the tool. */
interface Occurrence {
  readonly field: Bm25Field;
  readonly term: number;
  readonly weight: number;
}

function countOccurrences(index: Bm25Index, tool: Tool): Occurrence[] {
  const text = searchText(tool);
  const found: Occurrence[] = [];
  BM25_FIELDS.forEach((field, number) => {
    const value = text[field];
    const tokens = (typeof value === 'string' ? [value] : value).flatMap(tokenize);
    const length = tokens.filter((token) => token.kind === TokenKind.word).length;
    const weight = fieldWeight(index.data.settings, index.data.averageLengths, number, length);
    for (const token of tokens) {
      const factor = token.kind === TokenKind.whole ? index.data.settings.wholeWeight : 1;
      found.push({ field, term: index.terms.findText(token.text), weight: weight * factor });
    }
  });
  return found;
}

function explainFields(index: Bm25Index, list: number, occurrences: readonly Occurrence[]): Explanation[] {
  return BM25_FIELDS.flatMap((field) => {
    const inField = occurrences.filter(
      ({ field: other, term }) =>
        other === field && (term === list || (list >= index.terms.size && index.stemList(term) === list)),
    );
    if (inField.length === 0) return [];
    const value = inField.reduce((sum, { weight }) => sum + weight, 0);
    return [explained(value, `${field}: ${inField.length} × the weight of the field at its length`)];
  });
}
