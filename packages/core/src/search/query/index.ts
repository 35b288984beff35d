export {
  createNameDirectory,
  findNames,
  findOneName,
  findSpokenNames,
  findSubstrings,
  type NameIndex,
  type NameSource,
  type SubstringMatch,
} from './find-names.ts';
export {
  checkQueries,
  type ParsedQuery,
  parseQuery,
  QUERY_LIMITS,
  type QueryOperator,
  removeFiller,
  removeOperators,
  resolveLimit,
  takeTurns,
  unaskedQueries,
  unresolvedOperators,
} from './parse-query.ts';
