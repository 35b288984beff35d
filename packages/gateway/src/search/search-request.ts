import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined, hasMoreCharacters } from '@quartermaster/core/internal';
import { SEARCH_LIMITS } from '@quartermaster/core/search';
import { SEARCH_ENGINES, type SearchEngineName } from '@quartermaster/host/search';
import type { StoredCase } from '@quartermaster/host/store';
import { ApiError } from '../http/index.ts';

/** A client's search in a catalog. */
export interface CatalogSearchRequest {
  readonly queries: readonly string[];
  readonly engine: SearchEngineName;
  readonly limit: number;
  /** Whether each score is broken into its parts. */
  readonly explain: boolean;
  /** Whether each hit includes its input schema. */
  readonly schema: boolean;
  /** A tool whose rank is reported, whether it is among the hits or not. */
  readonly why?: string;
  /** Engines whose first 50 hits for the first query are also reported, for comparison. */
  readonly compare: readonly SearchEngineName[];
  /** Descriptions to try in place of the stored ones, by tool id. Nothing is saved. */
  readonly drafts: ReadonlyMap<string, string>;
  /** How many code points each query may have. */
  readonly maxQueryLength: number;
}

/** A labelled request: one of its tools should be among the best hits. */
export type EvaluationCase = Pick<StoredCase, 'query' | 'tools'>;

export interface EvaluationRequest extends Pick<CatalogSearchRequest, 'engine' | 'drafts' | 'maxQueryLength'> {
  readonly cases: readonly EvaluationCase[];
}

export const SEARCH_REQUEST_LIMITS = { queries: 16, cases: 1_000, drafts: 20, draftLength: 8_000 };

const FIELDS = new Set([
  'query',
  'queries',
  'engine',
  'limit',
  'explain',
  'schema',
  'why',
  'compare',
  'drafts',
  'tools',
]);

/** @param maxQueryLength how many code points each query may have */
export function readSearchRequest(body: unknown, maxQueryLength: number): CatalogSearchRequest {
  const fields = readFields(body, FIELDS);
  const { why } = fields;
  if (why !== undefined && typeof why !== 'string') throw invalid('why', 'the id or the name of a tool');
  return {
    queries: readQueries(fields, maxQueryLength),
    engine: readEngine(fields.engine),
    limit: readLimit(fields.limit),
    explain: readFlag(fields, 'explain'),
    schema: readFlag(fields, 'schema'),
    ...defined({ why }),
    compare: readCompare(fields.compare),
    drafts: readDrafts(fields.drafts),
    maxQueryLength,
  };
}

/** How many searches a request makes: `compare` runs the first query again for each of its engines. */
export function countSearches({ queries, compare }: CatalogSearchRequest): number {
  return queries.length + compare.length;
}

export function readEvaluationRequest(body: unknown, maxQueryLength: number): EvaluationRequest {
  const fields = readFields(body, new Set(['cases', 'engine', 'drafts']));
  const { cases } = fields;
  if (!Array.isArray(cases) || cases.length === 0 || cases.length > SEARCH_REQUEST_LIMITS.cases) {
    throw invalid('cases', `a list of 1 to ${SEARCH_REQUEST_LIMITS.cases} cases`);
  }
  return {
    cases: cases.map((one, index) => readCase(one, `cases.${index}`, maxQueryLength)),
    engine: readEngine(fields.engine),
    drafts: readDrafts(fields.drafts),
    maxQueryLength,
  };
}

function readFields(body: unknown, known: ReadonlySet<string>): JsonObject {
  if (!isJsonObject(body)) throw new ApiError(400, 'The request body should be a JSON object');
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown === undefined) return body;
  throw new ApiError(400, `${unknown.slice(0, 100)}: unknown field; this request takes ${[...known].join(', ')}`);
}

function readCase(value: unknown, place: string, maxQueryLength: number): EvaluationCase {
  if (!isJsonObject(value)) throw invalid(place, 'an object with query and tools');
  const { query, tools } = value;
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every((tool) => typeof tool === 'string')) {
    throw invalid(`${place}.tools`, 'a list of tool ids');
  }
  return { query: readQuery(query, `${place}.query`, maxQueryLength), tools };
}

function readQueries({ query, queries }: JsonObject, maxQueryLength: number): readonly string[] {
  if ((query === undefined) === (queries === undefined)) {
    throw new ApiError(400, 'Pass query (a string) or queries (a list of strings), and not both');
  }
  if (query !== undefined) return [readQuery(query, 'query', maxQueryLength)];
  if (!Array.isArray(queries) || queries.length === 0 || queries.length > SEARCH_REQUEST_LIMITS.queries) {
    throw invalid('queries', `a list of 1 to ${SEARCH_REQUEST_LIMITS.queries} strings`);
  }
  return queries.map((one, index) => readQuery(one, `queries.${index}`, maxQueryLength));
}

function readQuery(value: unknown, place: string, maxQueryLength: number): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalid(place, 'a string that is not empty');
  if (!hasMoreCharacters(value, maxQueryLength)) return value;
  throw new ApiError(
    400,
    `${place}: a query has at most ${maxQueryLength} characters (limits.queryLength), and this one has more`,
  );
}

function readEngine(value: unknown = 'auto', place = 'engine'): SearchEngineName {
  const engine = SEARCH_ENGINES.find((one) => one === value);
  if (engine === undefined) throw invalid(place, `one of ${SEARCH_ENGINES.join(', ')}`);
  return engine;
}

function readCompare(value: unknown = []): readonly SearchEngineName[] {
  if (!Array.isArray(value) || value.length > SEARCH_ENGINES.length) throw invalid('compare', 'a list of engines');
  return [...new Set(value.map((one) => readEngine(one, 'compare')))];
}

function readLimit(limit: unknown = SEARCH_LIMITS.default): number {
  if (
    typeof limit === 'number' &&
    Number.isInteger(limit) &&
    limit >= SEARCH_LIMITS.min &&
    limit <= SEARCH_LIMITS.max
  ) {
    return limit;
  }
  throw invalid('limit', `a whole number from ${SEARCH_LIMITS.min} to ${SEARCH_LIMITS.max}`);
}

function readFlag(fields: JsonObject, name: string): boolean {
  const { [name]: value = false } = fields;
  if (typeof value !== 'boolean') throw invalid(name, 'true or false');
  return value;
}

function readDrafts(value: unknown): ReadonlyMap<string, string> {
  if (value === undefined) return new Map();
  if (!isJsonObject(value)) throw invalid('drafts', 'an object of descriptions by tool id');
  const drafts = Object.entries(value);
  if (drafts.length > SEARCH_REQUEST_LIMITS.drafts) {
    throw invalid('drafts', `at most ${SEARCH_REQUEST_LIMITS.drafts} descriptions`);
  }
  return new Map(
    drafts.map(([id, text]) => {
      if (typeof text === 'string' && text.length <= SEARCH_REQUEST_LIMITS.draftLength) return [id, text];
      throw invalid(
        `drafts.${id.slice(0, 100)}`,
        `a string of at most ${SEARCH_REQUEST_LIMITS.draftLength} characters`,
      );
    }),
  );
}

function invalid(place: string, expected: string): ApiError {
  return new ApiError(400, `${place}: should be ${expected}`);
}
