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
  removeFiller,
  removeOperators,
  unresolvedOperators,
} from './parse-query.ts';
export { checkQueries, QUERY_LIMITS, resolveLimit, takeTurns, unaskedQueries } from './search-request.ts';
