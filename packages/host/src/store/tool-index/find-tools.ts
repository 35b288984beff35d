import type { Conjunction } from '@quartermaster/core/internal';
import { bytesOf, numberOf } from '../internal/columns.ts';
import type { Sql, SqlValue } from '../internal/sql.ts';
import type { CatalogFigures } from './catalog-figures.ts';
import { nearestClusters } from './clusters.ts';
import { type IndexContext, textArray } from './index-context.ts';
import { markOf, quoteMark, storedKey } from './tool-marks.ts';
import { cosineOf } from './tool-rows.ts';

/** Which tools of a catalog are candidates for a ranking. All terms are those of `term-counts.ts`. */
export interface CandidatePlan {
  /** A tool that has all terms of one of these may be among the best by words. */
  readonly conjunctions: readonly Conjunction[];
  /** The order of those: each term with its weight for a tool that has it. */
  readonly values: readonly (readonly [term: string, value: number])[];
  /** Keys of names that the request may mention. */
  readonly nameKeys: readonly string[];
  /** Every candidate has one of these terms, where there are any, … */
  readonly anyOf: readonly string[];
  /** … and all of these. */
  readonly allOf: readonly string[];
  /** The request's unit vector; undefined if meaning does not count. */
  readonly vector: Float32Array | undefined;
  /** How many times as many candidates as usual: 1 or more. */
  readonly depth: number;
}

/** How many candidates of each kind there are. */
const CANDIDATES = { words: 96, meaning: 64, names: 64 } as const;

/** How many tools with matching words are ordered by them. */
const MOST_ORDERED = 4_000;
/** How many neighbours by sign bits are compared in full for each one that is wanted. */
const SIGN_SLACK = 3;
/** How many vectors of a clustered catalog are compared with the request's. */
const SCANNED = 40_000;

/** In ascending order, each once. */
export async function findTools(
  context: IndexContext,
  catalog: CatalogFigures,
  plan: CandidatePlan,
): Promise<readonly number[]> {
  const found = await Promise.all([
    findByWords(context.sql, catalog, plan),
    plan.vector === undefined ? [] : findByMeaning(context, catalog, { ...plan, vector: plan.vector }),
  ]);
  return [...new Set(found.flat())].sort((left, right) => left - right);
}

async function findByWords(sql: Sql, catalog: CatalogFigures, plan: CandidatePlan): Promise<number[]> {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  const filter = restricted(catalog, plan);
  if (plan.nameKeys.length > 0) {
    parts.push(
      `(SELECT tool FROM tool_names WHERE catalog = ? AND key = ANY(?::text[]) ${filter === '' ? '' : `AND ${FILTERED}`}
        ORDER BY tool LIMIT ${CANDIDATES.names * plan.depth})`,
    );
    values.push(catalog.number, textArray(plan.nameKeys.map(storedKey)));
    if (filter !== '') values.push(catalog.number, filter);
  }
  const words = plan.conjunctions.map((terms) => marks(catalog, terms, '&')).join(' | ');
  if (words !== '') {
    const scores = plan.values.map(() => 'CASE WHEN words @@ ?::tsquery THEN ?::float8 ELSE 0 END').join(' + ');
    parts.push(
      `(SELECT tool FROM (SELECT tool, words FROM with_words LIMIT ${MOST_ORDERED}) AS found
        ORDER BY ${scores} DESC, tool LIMIT ${CANDIDATES.words * plan.depth})`,
    );
    values.unshift(catalog.number, restricted(catalog, plan, `(${words})`));
    for (const [term, value] of plan.values) values.push(quoteMark(markOf(catalog.number, term)), value);
  }
  if (parts.length === 0) return [];
  const found = `WITH with_words AS MATERIALIZED (SELECT tool, words FROM tool_words WHERE catalog = ? AND words @@ ?::tsquery) `;
  const rows = await sql.transaction(async (statements) => {
    await statements.all(INDEX_ONLY);
    return await statements.all(`${words === '' ? '' : found}${parts.join(' UNION ALL ')}`, values);
  });
  return rows.map((row) => numberOf(row, 'tool'));
}

/** The planner overestimates rare words and would scan all tools of the catalog instead. */
const INDEX_ONLY = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`;

/** The tools whose vectors are nearest. */
async function findByMeaning(
  { sql, vectors }: IndexContext,
  catalog: CatalogFigures,
  plan: CandidatePlan & { readonly vector: Float32Array },
): Promise<number[]> {
  const wanted = CANDIDATES.meaning * plan.depth;
  const filter = restricted(catalog, plan);
  const near = { ...plan, wanted: wanted * SIGN_SLACK, filter };
  const rows = await (vectors === 'pgvector'
    ? nearestByPgvector(sql, catalog, near)
    : nearestBySigns(sql, catalog, near));
  return rows
    .map((row) => ({ tool: numberOf(row, 'tool'), cosine: cosineOf(plan.vector, bytesOf(row, 'vector')) }))
    .sort((left, right) => right.cosine - left.cosine || left.tool - right.tool)
    .slice(0, wanted)
    .filter(({ cosine }) => cosine >= LEAST_MEANING)
    .map(({ tool }) => tool);
}

/** Below this cosine, two texts are similar only by chance. */
const LEAST_MEANING = 0.1;

interface Nearest {
  readonly vector: Float32Array;
  readonly wanted: number;
  /** What a tool's words must match. */
  readonly filter: string;
}

/** A tool of the right server, or with the right word, is looked up first; there are few. */
const FILTERED = `tool IN (SELECT tool FROM tool_words WHERE catalog = ? AND words @@ ?::tsquery LIMIT ${MOST_ORDERED})`;

function nearestBySigns(
  sql: Sql,
  catalog: CatalogFigures,
  { vector, wanted, filter }: Nearest,
): ReturnType<Sql['all']> {
  const conditions = ['catalog = ?'];
  const values: SqlValue[] = [catalog.number];
  if (filter !== '') {
    conditions.push(FILTERED);
    values.push(catalog.number, filter);
  } else if (catalog.clusters.length > 0) {
    const count = (catalog.clusters.length * 32) / vector.length;
    const probed = Math.ceil((SCANNED * count) / catalog.toolCount);
    conditions.push(`cluster IN (${nearestClusters(catalog.clusters, vector, probed).join(', ')})`);
  }
  const bits = Array.from(vector, (component) => (component < 0 ? '1' : '0')).join('');
  return sql.all(
    `SELECT v.tool, v.vector FROM (
       SELECT tool FROM tool_vectors WHERE ${conditions.join(' AND ')} ORDER BY bit_count(code # ?::bit varying), tool LIMIT ${wanted}
     ) AS near JOIN tool_vectors v ON v.tool = near.tool WHERE v.catalog = ?`,
    [...values, bits, catalog.number],
  );
}

function nearestByPgvector(
  sql: Sql,
  catalog: CatalogFigures,
  { vector, wanted, filter }: Nearest,
): ReturnType<Sql['all']> {
  const literal = `[${vector.join(',')}]`;
  const isFiltered = filter !== '';
  return sql.transaction(async (statements) => {
    // Continues beyond the nearer tools of other catalogs.
    await statements.all(
      `SELECT set_config('hnsw.ef_search', '${Math.min(1_000, wanted)}', true), set_config('hnsw.iterative_scan', 'strict_order', true)`,
    );
    return await statements.all(
      `SELECT tool, vector FROM tool_vectors WHERE catalog = ? ${isFiltered ? `AND ${FILTERED}` : ''}
       ORDER BY embedding <#> ?::halfvec LIMIT ${wanted}`,
      isFiltered ? [catalog.number, catalog.number, filter, literal] : [catalog.number, literal],
    );
  });
}

/** A condition, and what every candidate must have. */
function restricted(catalog: CatalogFigures, plan: Pick<CandidatePlan, 'anyOf' | 'allOf'>, condition = ''): string {
  const conditions = [condition, marks(catalog, plan.anyOf, '|'), marks(catalog, plan.allOf, '&')];
  return conditions.filter((one) => one !== '').join(' & ');
}

/** A condition on the marks of these terms; empty without any. */
function marks({ number }: CatalogFigures, terms: readonly string[], operator: '|' | '&'): string {
  return terms.length === 0 ? '' : `(${terms.map((term) => quoteMark(markOf(number, term))).join(` ${operator} `)})`;
}
