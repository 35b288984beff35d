export { loadReranker, RERANKER_DEFAULTS, type Reranker, type RerankerOptions } from './load-reranker.ts';
