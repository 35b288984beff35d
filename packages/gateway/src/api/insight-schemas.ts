import { INSIGHT_COUNTS } from '@quartermaster/host/store';
import { ACTIVITY_OUTCOMES } from '../insight/index.ts';
import {
  choice,
  component,
  described,
  FLAG,
  limitUpTo,
  list,
  NUMBER,
  named,
  record,
  type Schema,
  TEXT,
  WHOLE,
} from './schema.ts';

const SEARCH_RECORD: Schema = component(
  'SearchRecord',
  record({
    outcome: choice(['match', 'none', 'failure', 'stopped']),
    'engine?': TEXT,
    'reranker?': TEXT,
    'confidence?': NUMBER,
    queryCount: WHOLE,
    'queries?': described(list(TEXT), 'Only where the settings say insight: queries.'),
    found: described(list(TEXT), 'As the model sees them, best first.'),
    tools: described(list(TEXT), 'Their ids, in the same order.'),
    scores: list(NUMBER),
    'reasons?': described(list(TEXT), 'Why each was found. Only where the settings say insight: queries.'),
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

const REQUEST = {
  id: TEXT,
  atMs: NUMBER,
  route: TEXT,
  owner: TEXT,
  'key?': described(TEXT, 'The name of the key.'),
  'model?': TEXT,
  'upstream?': TEXT,
  'catalogs?': list(TEXT),
  'decision?': choice(['inline', 'defer', 'pass']),
  'form?': TEXT,
};

export const REQUEST_RECORD: Schema = component(
  'RequestRecord',
  record({
    ...REQUEST,
    status: WHOLE,
    durationMs: NUMBER,
    'error?': described(TEXT, 'The type of the error that the client got.'),
    'reason?': TEXT,
    rounds: described(WHOLE, 'How many times the model was called. Counted if tools are deferred, else 0.'),
    searches: list(SEARCH_RECORD),
    loaded: list(record({ tool: TEXT, name: TEXT, by: TEXT, tokens: NUMBER })),
    called: list(TEXT),
    refused: list(record({ 'tool?': TEXT, reason: TEXT })),
    steps: described(
      list(
        record({
          kind: choice(['model', 'search', 'call']),
          fromMs: NUMBER,
          tookMs: NUMBER,
          'tool?': TEXT,
          'isError?': FLAG,
        }),
      ),
      'What the time went to, in milliseconds since the request began, in the order in which it began.',
    ),
    inputTokens: NUMBER,
    outputTokens: NUMBER,
    'reach?': described(
      choice(['searched', 'called', 'neither']),
      'With deferred tools: whether the conversation has searched so far, called a tool without, or did neither.',
    ),
    'tokens?': TOKEN_ACCOUNT,
    'omitted?': described(
      record({
        catalogs: WHOLE,
        searches: WHOLE,
        loaded: WHOLE,
        called: WHOLE,
        refused: WHOLE,
        steps: WHOLE,
        characters: described(WHOLE, 'The length of the texts of searches that are listed without them.'),
      }),
      'How many entries of each list were left out, since a record has 100 entries a list and 16,384 characters at most.',
    ),
  }),
);

const RUNNING_REQUESTS: Schema = component(
  'RunningRequests',
  record({
    nowMs: described(NUMBER, "The gateway's clock: `nowMs - atMs` is how long a request has taken so far."),
    total: WHOLE,
    data: described(
      list(
        component(
          'RunningRequest',
          record({
            ...REQUEST,
            state: described(
              choice(['waiting', 'searching', 'calling', 'streaming']),
              '`waiting`: for the model, or while it is planned. `calling`: a tool of an MCP server. `streaming`: the client gets the answer.',
            ),
            rounds: described(WHOLE, 'How many times a model was asked so far.'),
            searches: described(WHOLE, 'How many searches were answered so far.'),
            'query?': described(
              TEXT,
              'The beginning of the latest query. Only where the settings say insight: queries.',
            ),
          }),
        ),
      ),
      'At most 100, those that run longest first.',
    ),
  }),
);

export const ACTIVITY_QUERY: Schema = record({
  'limit?': limitUpTo(500),
  'before?': described(
    limitUpTo(Number.MAX_SAFE_INTEGER),
    'Only requests that began before this time, in milliseconds since 1970.',
  ),
  'outcome?': choice(ACTIVITY_OUTCOMES),
  'counts?': described(
    choice(['true', 'false']),
    'Whether the answer says how many of the latest 500 requests have each outcome.',
  ),
});
export const ACTIVITY_ANSWER: Schema = record({
  data: list(REQUEST_RECORD),
  running: described(
    RUNNING_REQUESTS,
    'The requests in progress in the process that answers, whatever the query asks for.',
  ),
  keep: described(choice(['off', 'counts', 'queries']), 'What the settings store about requests: insight.keep.'),
  'counts?': record({ requests: WHOLE, ...Object.fromEntries(ACTIVITY_OUTCOMES.map((outcome) => [outcome, WHOLE])) }),
});

export const WIRE_ANSWER: Schema = record({
  data: list(
    component(
      'WireRound',
      record({
        atMs: NUMBER,
        model: TEXT,
        upstream: TEXT,
        dialect: TEXT,
        request: described(TEXT, 'The body as JSON.'),
        response: described(TEXT, 'The whole response as JSON, or the parts of a stream, one a line.'),
        isCut: described(FLAG, 'Whether one of them is longer than the mebibyte that is held.'),
        'error?': TEXT,
      }),
    ),
  ),
});

const TOTALS: Schema = component(
  'Totals',
  record({
    ...Object.fromEntries(INSIGHT_COUNTS.map((count) => [count, WHOLE])),
    net: described(NUMBER, 'Kept out minus added; may be negative.'),
    'breakEven?': described(
      NUMBER,
      'Tokens of definitions that a request must have on average for tool search to pay.',
    ),
    'usd?': described(
      record({
        keptOut: NUMBER,
        added: NUMBER,
        net: NUMBER,
        netCached: described(
          NUMBER,
          "The net at the price of cached input: inline definitions are often read from the provider's cache.",
        ),
      }),
      'In dollars, at the price of input tokens, of the models that have a price in the settings.',
    ),
  }),
);
export const DAYS_QUERY: Schema = record({
  'days?': described({ type: 'integer', minimum: 1, maximum: 3650 }, 'How many days up to today. Defaults to 30.'),
});
export const SAVINGS_ANSWER: Schema = record({
  sinceMs: NUMBER,
  total: TOTALS,
  byDay: named(TOTALS),
  byModel: named(TOTALS),
  byKey: named(TOTALS),
  byCatalog: described(named(TOTALS), 'Tools that requests bring themselves are under the empty name.'),
  unpriced: described(list(TEXT), 'Models that the prices in the settings do not cover.'),
  prices: described(
    named(record({ input: NUMBER, 'cacheRead?': NUMBER })),
    'What the dollars are computed from, by model: dollars for a million tokens. A missing cacheRead counts as a tenth of input.',
  ),
  keyNames: described(named(TEXT), 'The names of the keys, by their ids.'),
});

export const REACH_ANSWER: Schema = record({
  data: list(
    component(
      'ModelReach',
      record({
        model: TEXT,
        form: TEXT,
        deferred: described(WHOLE, 'Responses with deferred tools.'),
        searched: WHOLE,
        called: WHOLE,
        neither: WHOLE,
        isPoor: FLAG,
        'advice?': TEXT,
      }),
    ),
  ),
});

export const UNANSWERED_QUERY: Schema = record({ 'limit?': limitUpTo(100) });
export const UNANSWERED_ANSWER: Schema = record({
  data: list(
    component(
      'UnansweredSearch',
      record({
        query: TEXT,
        catalogs: described(list(TEXT), 'Empty where the tools came with the request.'),
        times: WHOLE,
        lastMs: NUMBER,
        requestId: TEXT,
        nearest: described(
          list(record({ tool: TEXT, name: TEXT, score: NUMBER })),
          'By meaning, of the one catalog that was searched; empty otherwise.',
        ),
      }),
    ),
  ),
  withoutText: described(WHOLE, 'Searches that found nothing and whose texts were not recorded.'),
});
