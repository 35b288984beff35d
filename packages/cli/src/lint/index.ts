export { lintCatalog } from './lint-catalog.ts';
