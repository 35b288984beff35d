export {
  type CandidateQuery,
  type CandidateWord,
  operatorStems,
  readCandidateQuery,
  readOperators,
} from './candidate-query.ts';
export { readNameStems, readToolTerms, stemOf, type ToolTerms } from './tool-terms.ts';
export { type Conjunction, chooseConjunctions, type WeighedWord } from './word-query.ts';
