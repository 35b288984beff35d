export { createPostgresSearcher, type PostgresSearcherOptions } from './postgres-searcher.ts';
