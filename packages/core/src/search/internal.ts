// What other stages and packages share with this one. The public names are in index.ts.

export { NAMED } from './bm25/index.ts';
export {
  type CandidateQuery,
  type CandidateWord,
  type Conjunction,
  chooseConjunctions,
  operatorStems,
  readCandidateQuery,
  readNameStems,
  readOperators,
  readToolTerms,
  stemOf,
  type ToolTerms,
  type WeighedWord,
} from './candidates.ts';
export { SIBLING } from './hybrid/features.ts';
export { CALLED_ALONG, CALLED_BEFORE } from './learned/order-by-use.ts';
export {
  checkRequest,
  hasMoreCharacters,
  type QueryOperator,
  queriesOf,
  takeTurns,
  unaskedQueries,
} from './query/read-request.ts';
export { nameWithoutServer } from './reranker/tool-sentence.ts';
export { nameKey } from './text/characters.ts';
