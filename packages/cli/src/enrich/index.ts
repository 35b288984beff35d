export { enrichCatalog } from './enrich-catalog.ts';
