import { ACTIVITY_OUTCOMES } from '../insight/index.ts';
import { choice, component, described, list, NUMBER, named, record, type Schema, TEXT, WHOLE } from './schema.ts';

const SEARCH_RECORD: Schema = component(
  'SearchRecord',
  record({
    outcome: choice(['match', 'none', 'failure', 'stopped']),
    'engine?': TEXT,
    'reranker?': TEXT,
    'confidence?': NUMBER,
    queryCount: WHOLE,
    'queries?': described(list(TEXT), 'Only where the settings say insight: queries.'),
    found: list(TEXT),
    scores: list(NUMBER),
    answerTokens: NUMBER,
    tookMs: NUMBER,
  }),
);

const TOKEN_ACCOUNT: Schema = component(
  'TokenAccount',
  record({
    definitions: NUMBER,
    keptOut: NUMBER,
    ownTools: NUMBER,
    carried: NUMBER,
    answers: NUMBER,
    repeated: NUMBER,
    added: NUMBER,
    net: described(NUMBER, 'Kept out minus added; may be negative.'),
    breakEven: NUMBER,
  }),
);

export const REQUEST_RECORD: Schema = component(
  'RequestRecord',
  record({
    id: TEXT,
    atMs: NUMBER,
    route: TEXT,
    status: WHOLE,
    durationMs: NUMBER,
    owner: TEXT,
    'model?': TEXT,
    'upstream?': TEXT,
    'decision?': choice(['inline', 'defer', 'pass']),
    'reason?': TEXT,
    'form?': TEXT,
    rounds: WHOLE,
    searches: list(SEARCH_RECORD),
    loaded: list(record({ tool: TEXT, by: TEXT, tokens: NUMBER })),
    called: list(TEXT),
    refused: list(record({ 'tool?': TEXT, reason: TEXT })),
    inputTokens: NUMBER,
    outputTokens: NUMBER,
    'tokens?': TOKEN_ACCOUNT,
  }),
);

export const ACTIVITY_QUERY: Schema = record({
  'limit?': { type: 'integer', minimum: 1, maximum: 500 },
  'before?': described(WHOLE, 'Only requests that began before this time, in milliseconds since 1970.'),
  'outcome?': choice(ACTIVITY_OUTCOMES),
});
export const ACTIVITY_ANSWER: Schema = record({ data: list(REQUEST_RECORD) });

const TOTALS: Schema = component(
  'Totals',
  record({
    requests: WHOLE,
    searches: WHOLE,
    foundNothing: WHOLE,
    keptOut: NUMBER,
    added: NUMBER,
    net: NUMBER,
  }),
);
export const SAVINGS_ANSWER: Schema = record({
  sinceMs: NUMBER,
  total: TOTALS,
  byDay: named(TOTALS),
  byModel: named(TOTALS),
  byKey: named(TOTALS),
});
