export { inputName } from './open-input.ts';
export { type LabelledQuery, readBareQueries, readQueries } from './read-queries.ts';
export { type ReadTools, readTools } from './read-tools.ts';
