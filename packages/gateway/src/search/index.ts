export { configuredEngine, createSearchEngines, SEARCH_ENGINES, type SearchEngines } from './search-engines.ts';
export { readEvaluationRequest, readSearchRequest, SEARCH_REQUEST_LIMITS } from './search-request.ts';
export { createSearchService, type SearchableTools, type SearchService } from './search-service.ts';
