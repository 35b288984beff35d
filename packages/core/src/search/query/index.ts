export { checkQueries, QUERY_LIMITS, resolveLimit, unaskedQueries } from './check-queries.ts';
export {
  createNameDirectory,
  findNames,
  findOneName,
  findSpokenNames,
  type NameIndex,
  type NameSource,
} from './find-names.ts';
export { findSubstrings, type SubstringMatch } from './find-substrings.ts';
export {
  type ParsedQuery,
  parseQuery,
  type QueryOperator,
  removeOperators,
  unresolvedOperators,
} from './parse-query.ts';
export { removeFiller } from './remove-filler.ts';
export { takeTurns } from './take-turns.ts';
