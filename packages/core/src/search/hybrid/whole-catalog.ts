import type { CatalogStatistics } from '../bm25/index.ts';
import type { VectorIndex } from '../semantic/vector-index.ts';

/** What is known of all tools of a catalog, where a searcher has only the candidates for one request. */
export interface WholeCatalog extends CatalogStatistics {
  /** How many vectors there are, and their sum. */
  readonly vectors: Pick<VectorIndex, 'count' | 'sum'>;
  /** How many tools a server has. */
  countServer(server: string): number;
}
