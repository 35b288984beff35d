export { createSearchEngines, type SearchEngines } from './search-engines.ts';
export {
  type CatalogSearchRequest,
  countSearches,
  type EvaluationCase,
  readEvaluationRequest,
  readSearchRequest,
  SEARCH_REQUEST_LIMITS,
} from './search-request.ts';
export { createSearchService, type IndexedTools, type SearchableTools, type SearchService } from './search-service.ts';
