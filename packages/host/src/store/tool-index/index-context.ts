import type { StaticEmbedder } from '@quartermaster/core/search';
import type { Sql } from '../internal/sql.ts';

/** What every part of the index works with. */
export interface IndexContext {
  readonly sql: Sql;
  readonly embedder: StaticEmbedder;
  readonly vectors: 'pgvector' | 'sign-bits';
  readonly now: () => number;
}

/** Names what rows depend on besides the tools: a catalog that was indexed differently is indexed again. */
export function formatOf({ embedder }: Pick<IndexContext, 'embedder'>): string {
  return `${FORMAT_VERSION} ${embedder.modelId} ${embedder.dimensions}`;
}

/** Increased when rows of older versions can't be read any more. */
const FORMAT_VERSION = 1;

/** A literal of PostgreSQL's `text[]`. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** A literal of PostgreSQL's `int[]`. */
export function numberArray(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}
