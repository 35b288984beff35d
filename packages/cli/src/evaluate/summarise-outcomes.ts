import { groupBy } from '../group-by.ts';
import { type Estimate, estimateMean, estimateShare, mean, percentile } from './estimate.ts';
import type { AnswerableOutcome, Outcome, UnanswerableOutcome } from './evaluate-queries.ts';
import type { Score } from './score-ranking.ts';

/** The figures of a list of queries. Queries without an answer are separate, under `unanswerable`. */
export interface Summary {
  /** How many queries have an answer in the catalog; the figures below are about these. */
  readonly queries: number;
  /** hit@k with Wilson's interval, the others with that of `estimateMean`. */
  readonly scores: { readonly [Metric in keyof Score]: Estimate };
  /** The share of answerable queries for which the engine reported no match. */
  readonly wronglyRefused: Estimate;
  /** The share of right answers (a relevant tool among the first 5) that are lost because the engine reported no match. */
  readonly rightLost: Estimate;
  /** The share of the queries' words that the relevant tools' texts contain. */
  readonly overlap: number;
  /** Mean tokens of a default answer's definitions. */
  readonly answerTokens: number;
  readonly invalidQueries: number;
  readonly unknownRelevant: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  readonly unanswerable: { readonly queries: number; readonly refused: Estimate };
}

/** One summary for all, and one for each split that the queries name. */
export interface Report {
  readonly all: Summary;
  readonly splits: Readonly<Record<string, Summary>>;
}

/** The metrics' names for tables, in their order there. */
export const METRIC_TITLES: Readonly<Record<keyof Score, string>> = {
  hit1: 'hit@1',
  hit3: 'hit@3',
  hit5: 'hit@5',
  recall5: 'recall@5',
  ndcg10: 'nDCG@10',
  mrr: 'MRR',
};

/** All metrics, in the order of tables. */
export const METRICS: readonly (keyof Score)[] = Object.keys(METRIC_TITLES) as (keyof Score)[];

/** The figures of an evaluation, overall and by split. */
export function makeReport(outcomes: readonly Outcome[]): Report {
  const bySplit = groupBy(outcomes, ({ split }) => (split === undefined ? [] : [split]));
  const splits = [...bySplit].map(([split, members]) => [split, summariseOutcomes(members)] as const);
  return { all: summariseOutcomes(outcomes), splits: Object.fromEntries(splits) };
}

/** The means of all metrics with their confidence intervals. */
export function summariseOutcomes(outcomes: readonly Outcome[]): Summary {
  const answerable = outcomes.filter((outcome): outcome is AnswerableOutcome => outcome.kind === 'answerable');
  const unanswerable = outcomes.filter((outcome): outcome is UnanswerableOutcome => outcome.kind === 'unanswerable');
  const times = outcomes.map((outcome) => outcome.milliseconds);
  return {
    queries: answerable.length,
    scores: {
      hit1: share(answerable, 'hit1'),
      hit3: share(answerable, 'hit3'),
      hit5: share(answerable, 'hit5'),
      recall5: average(answerable, 'recall5'),
      ndcg10: average(answerable, 'ndcg10'),
      mrr: average(answerable, 'mrr'),
    },
    wronglyRefused: refusedShare(answerable),
    rightLost: refusedShare(answerable.filter(isRight)),
    overlap: mean(answerable.map((outcome) => outcome.overlap)),
    answerTokens: mean(answerable.map((outcome) => outcome.answerTokens)),
    invalidQueries: outcomes.filter((outcome) => outcome.isInvalid).length,
    unknownRelevant: answerable.reduce((sum, outcome) => sum + outcome.unknownRelevant, 0),
    latencyMs: { p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
    unanswerable: { queries: unanswerable.length, refused: refusedShare(unanswerable) },
  };
}

/** A relevant tool is among the first five, whatever the verdict. */
export function isRight(outcome: Outcome): boolean {
  return outcome.kind === 'answerable' && outcome.score.hit5 === 1;
}

function share(outcomes: readonly AnswerableOutcome[], metric: keyof Score): Estimate {
  const hits = outcomes.reduce((sum, outcome) => sum + outcome.score[metric], 0);
  return estimateShare(hits, outcomes.length);
}

function average(outcomes: readonly AnswerableOutcome[], metric: keyof Score): Estimate {
  return estimateMean(outcomes.map((outcome) => outcome.score[metric]));
}

function refusedShare(outcomes: readonly Outcome[]): Estimate {
  return estimateShare(outcomes.filter((outcome) => outcome.isRefused).length, outcomes.length);
}
