import { defined } from '@quartermaster/core/internal';
import type { LearnedUseStore } from '@quartermaster/host/store';
import type { Context } from 'hono';
import { type Access, ownerSeenBy } from '../access/index.ts';
import type { Api } from '../api/index.ts';
import { FORGET_LEARNED, LEARNED, LEARNED_EXPORT } from '../api/learned-operations.ts';
import { ApiError, anthropicErrorBody } from '../http/index.ts';
import type { Services } from './services.ts';

/** What was learned from use: read, exported and deleted. A key's own; for an admin key without restrictions, anyone's. */
export function mountLearnedRoutes(api: Api, { runner, store, learning }: Services): void {
  const receive = (context: Context, answer: (uses: LearnedUseStore, access: Access) => Promise<object>) =>
    runner.run(context.req.raw, {
      route: 'insight',
      errorBody: anthropicErrorBody,
      async handler({ access }) {
        if (store?.learnedUses === undefined) throw new ApiError(404, 'This gateway has no store to keep uses in');
        await learning?.flush();
        return Response.json(await answer(store.learnedUses, access));
      },
    });

  api.get('/v1/learned', LEARNED, (context) =>
    receive(context, async (uses, access) => {
      const { owner, catalog } = context.req.query();
      const rows = await uses.summarise(defined({ owner: ownerOf(access, owner), catalog }));
      return {
        data: rows.map(({ lastAtMs, ...row }) => ({ ...row, last_used_at: new Date(lastAtMs).toISOString() })),
      };
    }),
  );
  api.get('/v1/learned/export', LEARNED_EXPORT, (context) =>
    receive(context, async (uses, access) => {
      const { owner, catalog = '' } = context.req.query();
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
  api.delete('/v1/learned', FORGET_LEARNED, (context) =>
    receive(context, async (uses, access) => {
      const { owner, catalog, tool } = context.req.query();
      const whose = ownerOf(access, owner);
      const count = await uses.forget(defined({ owner: whose, catalog, tool }), access.owner);
      learning?.forget(whose);
      return { type: 'learned_forgotten', count };
    }),
  );
}

/** Whose uses: the key's own; an admin key without restrictions can name another key, and gets those of all without a name. */
function ownerOf(access: Access, asked: string | undefined): string | undefined {
  const seen = ownerSeenBy(access);
  if (seen === undefined || asked === undefined || asked === seen) return seen ?? asked;
  throw new ApiError(403, 'owner: only an admin key without restrictions may name another key');
}
