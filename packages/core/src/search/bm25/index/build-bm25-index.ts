import type { Tool } from '../../../catalog/index.ts';
import { checkOptionNames } from '../../../check-option-names.ts';
import { QuartermasterError } from '../../../errors.ts';
import { runToEnd } from '../../../slices.ts';
import { FUNCTION_WORDS } from '../../text/function-words.ts';
import { BM25_DEFAULTS, type Bm25Options, type Bm25Settings, MOST_TOOLS } from '../bm25-options.ts';
import { assignStems, listStemmed } from './assign-stems.ts';
import { Bm25Index, type Bm25IndexData, type CatalogStatistics, INDEX_VERSION } from './bm25-index.ts';
import { averageFieldLengths, keepTokens, readTools, type TokenReuse } from './read-tools.ts';
import { writePostings } from './write-postings.ts';
import { writeSequences } from './write-sequences.ts';

/** Builds the index of a list of tools. Positions in the list are the tools' numbers. */
export function buildBm25Index(tools: readonly Tool[], options: Bm25Options = {}): Bm25Index {
  checkOptionNames('buildBm25Index', options, BM25_DEFAULTS);
  return runToEnd(buildBm25IndexInSteps(tools, options));
}

export interface BuildOptions extends Bm25Options {
  /** Of the catalog that the tools are a part of. @default they are all of it */
  readonly statistics?: CatalogStatistics | undefined;
  /** Indexes of other catalogs, whose tokens are taken over. The result keeps its own for the next one. @default all tools are read */
  readonly reuse?: TokenReuse | undefined;
}

/** What {@link buildBm25Index} gives, with a yield wherever building may be interrupted. */
export function* buildBm25IndexInSteps(tools: readonly Tool[], options: BuildOptions = {}): Generator<void, Bm25Index> {
  const { statistics, reuse, ...tuning } = options;
  if (tools.length >= MOST_TOOLS) {
    throw new QuartermasterError(
      'too_many_tools',
      `An index holds fewer than ${MOST_TOOLS} tools, not ${tools.length}`,
      {
        context: { tools: tools.length },
      },
    );
  }
  const settings: Bm25Settings = { ...BM25_DEFAULTS, ...tuning };
  const read = yield* readTools(tools, reuse);
  yield;
  const stems = yield* assignStems(read.store);
  yield;
  const averageLengths =
    statistics === undefined ? averageFieldLengths(read) : Float64Array.from(statistics.averageLengths);
  const { listLengths, ...lists } = yield* writePostings(read, stems, { averageLengths, settings });
  yield;
  const sequences = yield* writeSequences(read, stems, { listLengths, statistics });
  yield;
  const data: Bm25IndexData = {
    version: INDEX_VERSION,
    toolCount: tools.length,
    settings,
    terms: read.store.terms.toData(),
    functionWordCount: FUNCTION_WORDS.length,
    ...listStemmed(stems),
    ...lists,
    averageLengths,
    nameTerms: read.nameTerms,
    ...sequences,
  };
  return new Bm25Index(data, { statistics, tokens: reuse === undefined ? undefined : keepTokens(read, reuse.marks) });
}
