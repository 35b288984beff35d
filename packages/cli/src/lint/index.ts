export { lintCatalog } from './lint-catalog.ts';
export { lintTools } from './lint-tools.ts';
