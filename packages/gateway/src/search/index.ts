export { configuredEngine, createSearchEngines, type SearchEngines } from './search-engines.ts';
export { readEvaluationRequest, readSearchRequest } from './search-request.ts';
export { createSearchService, type SearchableTools, type SearchService } from './search-service.ts';
