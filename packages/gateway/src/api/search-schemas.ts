import { QUERY_LIMITS, SEARCH_LIMITS } from '@quartermaster/core/search';
import { SEARCH_ENGINES } from '@quartermaster/host/search';
import { SEARCH_REQUEST_LIMITS } from '../search/index.ts';
import {
  ANYTHING,
  choice,
  component,
  described,
  FLAG,
  list,
  NUMBER,
  named,
  optional,
  record,
  type Schema,
  TEXT,
  WHOLE,
} from './schema.ts';

const ENGINE = choice(SEARCH_ENGINES);
const QUERY: Schema = described(
  { type: 'string', minLength: 1, maxLength: QUERY_LIMITS.characters },
  'limits.queryLength changes the maximum.',
);
const DRAFTS: Schema = described(
  {
    ...named({ type: 'string', maxLength: SEARCH_REQUEST_LIMITS.draftLength }),
    maxProperties: SEARCH_REQUEST_LIMITS.drafts,
  },
  'Descriptions to try in place of the stored ones, by tool id. Nothing is saved.',
);

const SEARCH_FIELDS = {
  'query?': QUERY,
  'queries?': list(QUERY, { minItems: 1, maxItems: SEARCH_REQUEST_LIMITS.queries }),
  'engine?': ENGINE,
  'limit?': { type: 'integer', minimum: SEARCH_LIMITS.min, maximum: SEARCH_LIMITS.max },
  'explain?': described(FLAG, 'Whether each score is taken apart.'),
  'schema?': described(FLAG, 'Whether each hit carries its input schema and its annotations.'),
  'why?': described(TEXT, 'A tool whose rank is reported whether it is among the hits or not.'),
  'compare?': list(ENGINE, { maxItems: SEARCH_ENGINES.length }),
  'drafts?': DRAFTS,
};

/** One of the two, not both. */
const QUERY_OR_QUERIES = { oneOf: [{ required: ['query'] }, { required: ['queries'] }] };
const DEFINITIONS = list({ type: 'object' });

export const SEARCH_BODY: Schema = record(SEARCH_FIELDS, QUERY_OR_QUERIES);
export const OWN_TOOLS_BODY: Schema = record(
  { ...SEARCH_FIELDS, tools: described(DEFINITIONS, 'Definitions in any supported format.') },
  QUERY_OR_QUERIES,
);

const EXPLANATION: Schema = component('Explanation', {
  type: 'object',
  properties: {
    value: NUMBER,
    what: TEXT,
    details: list({ $ref: '#/components/schemas/Explanation' }),
  },
  required: ['value', 'what', 'details'],
  additionalProperties: false,
});

const RANKED = { tool: TEXT, 'server?': TEXT, name: TEXT, description: TEXT, score: NUMBER };

const HIT: Schema = component(
  'SearchHit',
  record({
    ...RANKED,
    model_name: described(TEXT, 'The name under which a model would call it.'),
    tokens: WHOLE,
    'explanation?': EXPLANATION,
    'also?': described(list(TEXT), 'Near-duplicates that this hit stands for.'),
    'input_schema?': ANYTHING,
    'annotations?': described(ANYTHING, 'As MCP has them, with `schema`.'),
  }),
);

export const SEARCH_ANSWER: Schema = component(
  'SearchAnswer',
  record({
    type: choice(['search_result']),
    engine: TEXT,
    took_ms: NUMBER,
    catalog: record({
      'tool_count?': described(
        WHOLE,
        'Absent where the catalog is searched in PostgreSQL by a key that may use a part of its tools.',
      ),
      'tokens?': described(WHOLE, 'Absent where the catalog is searched in PostgreSQL.'),
    }),
    results: list(
      record({
        query: TEXT,
        verdict: choice(['match', 'no_match']),
        'confidence?': NUMBER,
        'unresolved?': list(TEXT),
        hits: list(HIT),
      }),
    ),
    'why?': component(
      'Standing',
      record({
        tool: TEXT,
        standing: choice(['listed', 'below-limit', 'not-matched', 'not-allowed', 'not-in-catalog']),
        'rank?': WHOLE,
        'reason?': TEXT,
        'explanation?': EXPLANATION,
      }),
    ),
    'compared?': named(list(component('RankedTool', record(RANKED)))),
  }),
);

const CASE = { query: QUERY, tools: list(TEXT, { minItems: 1 }) };

export const EVALUATE_BODY: Schema = record({
  cases: list(component('EvaluationCase', record(CASE)), { minItems: 1, maxItems: SEARCH_REQUEST_LIMITS.cases }),
  'engine?': ENGINE,
  'drafts?': DRAFTS,
});
export const EVALUATION_ANSWER: Schema = component(
  'Evaluation',
  record({
    type: choice(['evaluation']),
    engine: TEXT,
    hit_at: record({ '1': NUMBER, '3': NUMBER, '5': NUMBER }),
    cases: list(record({ query: TEXT, tools: list(TEXT), rank: optional(WHOLE), first: optional(TEXT) })),
  }),
);

export const ENGINES_ANSWER: Schema = record({ configured: TEXT, data: list(record({ id: TEXT })) });

const CATALOG_FIELDS = {
  type: choice(['catalog']),
  name: TEXT,
  'hash?': TEXT,
  tool_count: WHOLE,
  'updated_at?': TEXT,
  'version?': described(WHOLE, 'Counts up with each change of its content.'),
  'owner?': described(TEXT, 'The key that created it.'),
  'read_only?': described(FLAG, 'The tools of a configured MCP server; it changes them itself.'),
  'error?': TEXT,
  'findings?': described(
    list(record({ tool: TEXT, rule: TEXT, level: TEXT, message: TEXT })),
    'What an upload changed in the definitions, such as invisible characters that were removed.',
  ),
};
export const CATALOG_HEAD: Schema = component('Catalog', record(CATALOG_FIELDS));
export const CATALOGS_ANSWER: Schema = record({ data: list(CATALOG_HEAD) });
export const CATALOG_ANSWER: Schema = record({ ...CATALOG_FIELDS, tools: list(ANYTHING) });
export const CATALOG_BODY: Schema = described(
  { anyOf: [DEFINITIONS, record({ tools: DEFINITIONS }, { additionalProperties: true })] },
  'A list of tool definitions, or an object that has one.',
);
export const DELETED_CATALOG: Schema = record({ type: choice(['catalog_deleted']), name: TEXT });
export const USAGE_ANSWER: Schema = record({
  type: choice(['catalog_usage']),
  name: TEXT,
  tools: list(record({ tool: TEXT, calls: WHOLE })),
  suggested_pins: list(TEXT),
});
