import { QuartermasterError, type Searcher, type SearchResult, type Snapshot } from '@quartermaster/core';
import { snapshotTokens } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import { SEARCH_LIMITS } from '@quartermaster/core/search';
import { foundTools } from '../found-tools.ts';
import { groupBy } from '../group-by.ts';
import type { LabelledQuery } from '../input/index.ts';
import { RANKING_DEPTH, type Score, scoreRanking } from './score-ranking.ts';
import { wordOverlap } from './word-overlap.ts';

/** The result of one query. */
export type Outcome = AnswerableOutcome | UnanswerableOutcome;

interface OutcomeBase {
  readonly query: string;
  readonly split?: string;
  readonly isRefused: boolean;
  /** The estimated probability that a tool fits, if the engine reports one. */
  readonly confidence?: number;
  /** The engine rejected the query, for example as a regular expression; it counts as nothing found. */
  readonly isInvalid: boolean;
  readonly milliseconds: number;
}

export interface AnswerableOutcome extends OutcomeBase {
  readonly kind: 'answerable';
  readonly score: Score;
  /** Tokens of the definitions in a default answer. */
  readonly answerTokens: number;
  readonly overlap: number;
  /** Entries of `relevant` that match no tool of the catalog: they can't be found. */
  readonly unknownRelevant: number;
}

/** Nothing in the catalog fits: the right answer is no match. */
export interface UnanswerableOutcome extends OutcomeBase {
  readonly kind: 'unanswerable';
}

export interface EvaluateOptions {
  readonly searcher: Searcher;
  readonly snapshot: Snapshot;
  /** A clock in milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
  /** Called before each query with the number of finished ones. */
  onProgress?(done: number): void;
}

/** Runs the queries one after the other, so the times are those of single searches. */
export async function evaluateQueries(queries: readonly LabelledQuery[], options: EvaluateOptions): Promise<Outcome[]> {
  const { searcher, snapshot, now = () => performance.now() } = options;
  const byLabel = groupBy(snapshot.tools, ({ id, name }) => new Set([id, name]));
  const costs = snapshotTokens(snapshot).byTool;
  const outcomes: Outcome[] = [];
  for (const { query } of queries.slice(0, WARM_UP_QUERIES)) await ask(searcher, query);
  for (const { query, relevant, split } of queries) {
    options.onProgress?.(outcomes.length);
    const started = now();
    const result = await ask(searcher, query);
    const milliseconds = now() - started;
    const hits = result?.hits ?? [];
    const base: OutcomeBase = {
      query,
      ...defined({ split }),
      isRefused: result?.verdict !== 'match',
      ...(result?.confidence === undefined ? {} : { confidence: result.confidence }),
      isInvalid: result === undefined,
      milliseconds,
    };
    if (relevant.length === 0) {
      outcomes.push({ ...base, kind: 'unanswerable' });
      continue;
    }
    const ranking = foundTools(hits, RANKING_DEPTH).map(({ tool }) => tool);
    const gold = relevant.map((label) => byLabel.get(label) ?? []);
    outcomes.push({
      ...base,
      kind: 'answerable',
      score: scoreRanking(ranking, relevant),
      answerTokens: ranking.slice(0, SEARCH_LIMITS.default).reduce((sum, tool) => sum + (costs.get(tool) ?? 0), 0),
      overlap: wordOverlap(query, gold.flat()),
      unknownRelevant: gold.filter((tools) => tools.length === 0).length,
    });
  }
  return outcomes;
}

/** Undefined if the engine rejects the query. */
async function ask(searcher: Searcher, query: string): Promise<SearchResult | undefined> {
  try {
    return await searcher.search({ query, limit: RANKING_DEPTH });
  } catch (error) {
    if (error instanceof QuartermasterError) return undefined;
    throw error;
  }
}

/** Run once before the clock starts, so that times are those of a warm process. */
const WARM_UP_QUERIES = 50;
