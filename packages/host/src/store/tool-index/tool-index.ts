import type { Tool } from '@quartermaster/core';
import type { StaticEmbedder } from '@quartermaster/core/search';
import type { Sql } from '../internal/sql.ts';
import { type CatalogFigures, readFigures } from './catalog-figures.ts';
import { type CandidatePlan, findTools } from './find-tools.ts';
import { createTables } from './tables.ts';
import { countTerms, findSimilarTerms } from './term-counts.ts';
import { fetchTools, type IndexedTool, toolKey } from './tool-rows.ts';
import {
  removeCatalog,
  type SyncOptions,
  type SyncOutcome,
  syncTools,
  type ToolChanges,
  updateTools,
} from './write-tools.ts';

/**
 * Catalogs that are indexed in PostgreSQL, so that no process needs all of their tools. Every statement names the catalog: one
 * tenant's tools can't be reached with the name of another's.
 */
export interface ToolIndex {
  /** How vectors are compared: the pgvector extension, or sign bits. */
  readonly vectors: 'pgvector' | 'sign-bits';
  readonly embedder: StaticEmbedder;
  /** Makes a catalog consist of these tools. Only those that changed are written. */
  sync(catalog: string, tools: Iterable<Tool> | AsyncIterable<Tool>, options?: SyncOptions): Promise<SyncOutcome>;
  /** Adds, replaces and removes some tools of a catalog, which is created if there is none. */
  update(catalog: string, changes: ToolChanges, options?: SyncOptions): Promise<SyncOutcome>;
  /** Deletes a catalog. */
  remove(catalog: string): Promise<boolean>;
  /** What is known about a catalog as a whole; undefined for one that is not indexed. */
  figures(catalog: string): Promise<CatalogFigures | undefined>;
  /** How many tools have each of these terms (see `term-counts.ts`). */
  countTerms(catalog: CatalogFigures, terms: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Terms of the same kind that are one letter away, the most common first. */
  findSimilarTerms(catalog: CatalogFigures, term: string): Promise<readonly string[]>;
  /** The numbers of the tools that a ranking has to look at. */
  find(catalog: CatalogFigures, plan: CandidatePlan): Promise<readonly number[]>;
  /** Tools by their numbers. */
  fetch(catalog: CatalogFigures, numbers: readonly number[]): Promise<readonly IndexedTool[]>;
  /** The tool with this id, as indexed. */
  get(catalog: CatalogFigures, id: string): Promise<IndexedTool | undefined>;
}

/** How an index is opened. */
export interface ToolIndexOptions {
  readonly embedder: StaticEmbedder;
  /** @default 'auto': pgvector if the extension can be used */
  readonly vectors?: 'auto' | 'pgvector' | 'sign-bits';
  /** Milliseconds since 1970. @default the system's clock */
  readonly now?: () => number;
}

/** Opens the index, and creates missing tables. */
export async function openToolIndex(sql: Sql, options: ToolIndexOptions): Promise<ToolIndex> {
  const { embedder, now = Date.now } = options;
  const vectors = await createTables(sql, { dimensions: embedder.dimensions, wanted: options.vectors ?? 'auto' });
  const context = { sql, embedder, vectors, now };
  return {
    vectors,
    embedder,
    sync: (catalog, tools, given) => syncTools(context, catalog, { tools, ...given }),
    update: (catalog, changes, given) => updateTools(context, catalog, { changes, ...given }),
    remove: (catalog) => removeCatalog(context, catalog),
    figures: (catalog) => readFigures(context, catalog),
    countTerms: (catalog, terms) => countTerms(sql, catalog.number, terms),
    findSimilarTerms: (catalog, term) => findSimilarTerms(sql, catalog.number, term),
    find: (catalog, plan) => findTools(context, catalog, plan),
    fetch: (catalog, numbers) => fetchTools(context, catalog.number, { numbers }),
    async get(catalog, id) {
      return (await fetchTools(context, catalog.number, { keys: [toolKey(id)] }))[0];
    },
  };
}
