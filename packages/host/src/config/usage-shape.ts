import type { UsageSettings } from './config.ts';
import { choice } from './scalar-shapes.ts';
import { object, type Shape } from './shape.ts';

const WORDS = choice(['off', 'counts', 'vectors']);

/** Other YAML readers turn a bare `off` into a boolean. */
const LEARN: Shape<UsageSettings['learn']> = {
  schema: { anyOf: [WORDS.schema, { enum: [false] }] },
  read: (value, place) => (value === false ? 'off' : WORDS.read(value, place)),
};

/** What is learned from use. */
export const USAGE: Shape<UsageSettings> = object({
  learn: {
    about:
      'counts keeps which tools were called after searches; vectors also keeps the embeddings of those searches, so that the tools ' +
      'are found first by searches like them. No texts are kept. Each API key learns for itself; clients that share a key, or use ' +
      'none, learn together, so leave it off if they are different tenants.',
    shape: LEARN,
    default: 'off',
  },
});
