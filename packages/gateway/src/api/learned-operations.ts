import type { Operation } from './api.ts';
import { choice, described, list, record, type Schema, TEXT, WHOLE } from './schema.ts';

const endpoint = 'insight';

const OWNER: Schema = described(TEXT, 'The id of a key; only for admin keys, whose default is all keys.');
const CATALOG: Schema = described(
  TEXT,
  'A named catalog, mcp for the MCP servers, or empty for the tools of requests.',
);

export const LEARNED: Operation = {
  endpoint,
  summary: 'Which tools were called after searches, by catalog (usage.learn). A key sees its own.',
  query: record({ 'owner?': OWNER, 'catalog?': CATALOG }),
  answer: record({
    data: list(record({ owner: TEXT, catalog: TEXT, tool: TEXT, calls: WHOLE, last_used_at: TEXT })),
  }),
};

export const LEARNED_EXPORT: Operation = {
  endpoint,
  summary: 'Everything that was learned for one catalog: tools, times, and the vectors of requests as base64 bytes.',
  query: record({ 'owner?': OWNER, 'catalog?': CATALOG }),
  answer: record({
    owner: TEXT,
    catalog: TEXT,
    data: list(record({ tool: TEXT, used_at: TEXT, 'vector?': TEXT })),
  }),
};

export const FORGET_LEARNED: Operation = {
  endpoint,
  summary: 'Deletes what was learned: everything of the key, or only one catalog or tool.',
  query: record({ 'owner?': OWNER, 'catalog?': CATALOG, 'tool?': TEXT }),
  answer: record({ type: choice(['learned_forgotten']), count: WHOLE }),
};
