/**
 * What the other packages of Quartermaster share with core. Unstable: a name here can change or go in any release, so nothing else should
 * import it.
 *
 * @internal
 */
export { BoundedMap } from '../bounded-map.ts';
export {
  anthropicDefinedTool,
  createSnapshotInSteps,
  defined,
  describeExamples,
  findInvisibleKey,
  hasInvisible,
  sha256,
  stripInvisible,
  stripInvisibleTexts,
  textLength,
  tryParseJson,
} from '../catalog/internal.ts';
export { checkOptionNames, type OptionNames, readChoice, readWholeNumber } from '../check-option-names.ts';
export { BACKGROUND_CLOCK, type Clock, every, pause, SYSTEM_CLOCK, untilAborted } from '../clock.ts';
export { cutText, deferredInFull, matchLine, ownNamed, ownTool, readFormChoice } from '../disclosure/internal.ts';
export {
  checkToolboxOptions,
  factsOfCall,
  nameDistance,
  PLAN_SETTINGS,
  readAhead,
  readQueries,
  SEARCH_SETTINGS,
  toInput,
  writtenInput,
} from '../dispatch/internal.ts';
export { editDistance } from '../edit-distance.ts';
export {
  isUniqueId,
  piecesId,
  planRequestInSteps,
  remainingTokens,
  type Spoken,
  splitRounds,
  sumUsage,
} from '../loop/internal.ts';
export { memoized, once } from '../memoized.ts';
export { type ReadEventsOptions, readEvents, readResponseText, type ServerEvent } from '../run/internal.ts';
export {
  type CandidateQuery,
  type CandidateWord,
  type Conjunction,
  checkRequest,
  chooseConjunctions,
  hasMoreCharacters,
  nameKey,
  nameWithoutServer,
  operatorStems,
  type QueryOperator,
  queriesOf,
  readCandidateQuery,
  readNameStems,
  readOperators,
  readToolTerms,
  stemOf,
  type ToolTerms,
  unaskedQueries,
  type WeighedWord,
} from '../search/internal.ts';
export { runInSlices } from '../slices.ts';
export { deepestReason, malformed } from '../upstream-error.ts';
