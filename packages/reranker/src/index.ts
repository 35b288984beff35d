export { LOAD_RERANKER_DEFAULTS, type LoadRerankerOptions, loadReranker, type RerankerModel } from './load-reranker.ts';
