import type { InsightSettings, ModelPrice } from './config.ts';
import { bytes, choice, flag, number, whole } from './scalar-shapes.ts';
import { defaultsOf, object, type Shape } from './shape.ts';

const KEEP = choice(['off', 'counts', 'queries']);

const BLOCK: Shape<InsightSettings> = object({
  keep: {
    about:
      'off stores nothing. counts stores counts and tokens by day, key, model and catalog. queries also stores the requests with deferred tools, ' +
      'with the texts of their searches.',
    shape: KEEP,
    default: 'off',
  },
  retentionDays: {
    about: 'How many days are kept.',
    shape: whole({ min: 1, max: 3_650 }),
    default: 90,
  },
  maxBytes: {
    about: 'Maximum size of all stored requests; the oldest are deleted first.',
    shape: bytes(),
    default: 256 * 1024 * 1024,
  },
  wire: {
    about:
      'Whether the latest requests are held in memory as they were sent to the model, for /v1/activity/{id}/wire. They contain the conversation.',
    shape: flag(),
    default: false,
  },
});

/** What is stored about requests by default: nothing. */
export const INSIGHT_DEFAULTS: InsightSettings = defaultsOf(BLOCK);

/** One word, or a block. Other YAML readers turn a bare `off` into a boolean. */
export const INSIGHT: Shape<InsightSettings> = {
  schema: { anyOf: [KEEP.schema, BLOCK.schema, { const: false }] },
  read(value, place) {
    if (value === false) return INSIGHT_DEFAULTS;
    if (typeof value !== 'string') return BLOCK.read(value, place);
    const keep = KEEP.read(value, place);
    return keep === undefined ? undefined : { ...INSIGHT_DEFAULTS, keep };
  },
};

const PRICE_LIMITS = { min: 0, max: 1_000_000 };

/** The prices of a model's tokens. */
export const PRICE: Shape<ModelPrice> = object(
  {
    input: { about: 'Dollars for a million input tokens.', shape: number(PRICE_LIMITS) },
    output: {
      about: "Dollars for a million output tokens, for the agent's costs and budget.",
      shape: number(PRICE_LIMITS),
    },
    cacheRead: {
      about: "The same for tokens read from the provider's cache; as input if not set.",
      shape: number(PRICE_LIMITS),
    },
    cacheWrite: {
      about: "The same for tokens written to the provider's cache; as input if not set.",
      shape: number(PRICE_LIMITS),
    },
  },
  { required: ['input'] },
) as Shape<ModelPrice>;
