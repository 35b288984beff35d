import { defined } from '@quartermaster/core/internal';
import { AUDIT_ACTIONS, type AuditEntry } from '@quartermaster/host/store';
import { LIST_CHANGES } from '../api/audit-operations.ts';
import type { Api } from '../api/index.ts';
import { ApiError, anthropicErrorBody } from '../http/index.ts';
import type { Services } from './services.ts';

/** Who changed what, for those who see everything. */
export function mountAuditRoutes(api: Api, { runner, store }: Services): void {
  api.get('/v1/audit', LIST_CHANGES, (context) =>
    runner.run(context.req.raw, {
      ...{ route: 'keys', errorBody: anthropicErrorBody },
      async handler({ access }) {
        if (!access.isUnlimited) {
          throw new ApiError(403, 'The audit log is for admin keys without restrictions; this key has some');
        }
        if (store === undefined) throw new ApiError(404, 'This gateway has no store, so it has no audit log');
        const { limit: most, after_id: afterId, actor, action, subject, since, until: end } = context.req.query();
        const limit = readLimit(most);
        checkAction(action);
        const [from, until] = [readTime('since', since), readTime('until', end)];
        const wanted = defined({ afterId, actor, action, subject, from, until });
        const found = await store.audit.list({ ...wanted, limit: limit + 1 });
        const data = found.slice(0, limit).map(writeEntry);
        const ids = { first_id: found[0]?.id ?? null, last_id: found[data.length - 1]?.id ?? null };
        return Response.json({ data, has_more: found.length > limit, ...ids });
      },
    }),
  );
}

const DEFAULT_LIMIT = 100;
const MOST_LISTED = 1_000;

function readLimit(text: string | undefined): number {
  const value = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MOST_LISTED) return value;
  throw new ApiError(400, `limit: should be a whole number from 1 to ${MOST_LISTED}`);
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new ApiError(400, `${name}: should be a time in ISO 8601: 2027-01-31T00:00:00Z`);
}

function checkAction(action: string | undefined): void {
  const isKnown = AUDIT_ACTIONS.some((one) => one === action || one.startsWith(`${action}.`));
  if (action !== undefined && !isKnown) throw new ApiError(400, `action: should be one of ${AUDIT_ACTIONS.join(', ')}`);
}

function writeEntry({ id, at, actor, actorName, action, subject, subjectName, detail }: AuditEntry): object {
  return {
    ...{ id, at: new Date(at).toISOString(), actor, action, subject, detail },
    ...defined({ actor_name: actorName, subject_name: subjectName }),
  };
}
