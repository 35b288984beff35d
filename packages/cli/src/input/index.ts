export { inputName } from './open-input.ts';
export {
  type LabelledQuery,
  type PastCall,
  readAllQueries,
  readBareQueries,
  readHistory,
  readQueries,
} from './read-queries.ts';
export { type ReadTools, readTools } from './read-tools.ts';
