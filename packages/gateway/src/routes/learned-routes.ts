import { defined } from '@quartermaster/core/internal';
import { type Access, ownerSeenBy } from '../access/index.ts';
import { type Api, jsonRoutes, needing } from '../api/index.ts';
import { choice, described, list, record, type Schema, TEXT, WHOLE } from '../api/schema.ts';
import { ApiError } from '../http/index.ts';
import type { Services } from './services.ts';

/** What was learned from use: read, exported and deleted. A key's own; for an admin key without restrictions, anyone's. */
export function mountLearnedRoutes(api: Api, { runner, store, learning }: Services): void {
  const routes = jsonRoutes(api, runner, 'insight');
  const stored = needing(async () => {
    await learning?.flush();
    return store?.learnedUses;
  }, 'This gateway has no store to keep uses in');

  routes.get(
    '/v1/learned',
    {
      summary: 'Which tools were called after searches, by catalog (usage.learn). A key sees its own.',
      query: record({ 'owner?': OWNER, 'catalog?': CATALOG }),
      answer: record({
        data: list(record({ owner: TEXT, catalog: TEXT, tool: TEXT, calls: WHOLE, last_used_at: TEXT })),
      }),
    },
    stored(async ({ access, query }, uses) => {
      const { owner, catalog } = query;
      const rows = await uses.summarise(defined({ owner: ownerOf(access, owner), catalog }));
      return {
        data: rows.map(({ lastAtMs, ...row }) => ({ ...row, last_used_at: new Date(lastAtMs).toISOString() })),
      };
    }),
  );
  routes.get(
    '/v1/learned/export',
    {
      summary:
        'Everything that was learned for one catalog: tools, times, and the vectors of requests as base64 bytes.',
      query: record({ 'owner?': OWNER, 'catalog?': CATALOG }),
      answer: record({
        owner: TEXT,
        catalog: TEXT,
        data: list(record({ tool: TEXT, used_at: TEXT, 'vector?': TEXT })),
      }),
    },
    stored(async ({ access, query }, uses) => {
      const { owner, catalog = '' } = query;
      const scope = { owner: ownerOf(access, owner) ?? access.owner, catalog };
      const rows = await uses.list(scope);
      return {
        ...scope,
        data: rows.map(({ tool, atMs, vector }) => ({
          tool,
          used_at: new Date(atMs).toISOString(),
          ...(vector === undefined ? {} : { vector: Buffer.from(vector.buffer).toString('base64') }),
        })),
      };
    }),
  );
  routes.delete(
    '/v1/learned',
    {
      summary: 'Deletes what was learned: everything of the key, or only one catalog or tool.',
      query: record({ 'owner?': OWNER, 'catalog?': CATALOG, 'tool?': TEXT }),
      answer: record({ type: choice(['learned_forgotten']), count: WHOLE }),
    },
    stored(async ({ access, query }, uses) => {
      const { owner, catalog, tool } = query;
      const whose = ownerOf(access, owner);
      const count = await uses.forget(defined({ owner: whose, catalog, tool }), access.owner);
      learning?.forget(whose);
      return { type: 'learned_forgotten', count };
    }),
  );
}

const OWNER: Schema = described(TEXT, 'The id of a key; only for admin keys, whose default is all keys.');
const CATALOG: Schema = described(
  TEXT,
  'A named catalog, mcp for the MCP servers, or empty for the tools of requests.',
);

/** Whose uses: the key's own; an admin key without restrictions can name another key, and gets those of all without a name. */
function ownerOf(access: Access, asked: string | undefined): string | undefined {
  const seen = ownerSeenBy(access);
  if (seen === undefined || asked === undefined || asked === seen) return seen ?? asked;
  throw new ApiError(403, 'owner: only an admin key without restrictions may name another key');
}
