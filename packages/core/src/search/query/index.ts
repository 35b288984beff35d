export { checkQueries } from './check-queries.ts';
export { findNames, findOneName, findSpokenNames, type NameSource } from './find-names.ts';
export { findSubstrings, type SubstringMatch } from './find-substrings.ts';
export { createNameDirectory, type NameIndex } from './name-directory.ts';
export {
  type ParsedQuery,
  parseQuery,
  type QueryOperator,
  removeOperators,
  unresolvedOperators,
} from './parse-query.ts';
export { QUERY_LIMITS, unaskedQueries } from './query-limits.ts';
export { removeFiller } from './remove-filler.ts';
export { resolveLimit } from './resolve-limit.ts';
export { takeTurns } from './take-turns.ts';
