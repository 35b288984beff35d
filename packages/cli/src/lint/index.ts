export { lintTools } from './check-definitions.ts';
export { lintCatalog } from './lint-catalog.ts';
