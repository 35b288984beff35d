import { defined } from '@quartermaster/core/internal';
import { AUDIT_ACTIONS, type AuditEntry } from '@quartermaster/host/store';
import { type Api, jsonRoutes } from '../api/index.ts';
import { choice, component, described, limitUpTo, page, record, TEXT, TIME } from '../api/schema.ts';
import { ApiError } from '../http/index.ts';
import { type Listed, pageOf, readTime, readWhole } from './read-query.ts';
import type { Services } from './services.ts';

/** Who changed what, for those who see everything. */
export function mountAuditRoutes(api: Api, { runner, store }: Services): void {
  jsonRoutes(api, runner, 'keys').get(
    '/v1/audit',
    {
      summary:
        'The audit log, newest first: who changed which key, catalog, labelled request, policy or definition. Requires an admin key without restrictions.',
      query: record({
        'limit?': described(limitUpTo(MOST_LISTED), 'Default: 100.'),
        'after_id?': described(TEXT, 'The last_id of the page before.'),
        'actor?': described(TEXT, 'The id or name of the key that made the change; empty for changes without a key.'),
        'action?': described(choice(ASKED_ACTIONS), 'An action such as key.rotate, or all of a kind: key.'),
        'subject?': described(
          TEXT,
          'What was changed: the name of a catalog, the id of a tool, the id or name of a key.',
        ),
        'since?': TIME,
        'until?': TIME,
      }),
      answer: record(
        page(
          component(
            'AuditEntry',
            record({
              id: TEXT,
              at: TIME,
              actor: described(
                TEXT,
                'The id of a key; empty without one: on the command line, or at a gateway without keys.',
              ),
              'actor_name?': TEXT,
              action: choice(AUDIT_ACTIONS),
              subject: TEXT,
              'subject_name?': described(TEXT, 'Where the subject is a key.'),
              detail: TEXT,
            }),
          ),
        ),
      ),
    },
    async ({ access, query }) => {
      if (!access.isUnlimited) {
        throw new ApiError(403, 'The audit log is for admin keys without restrictions; this key has some');
      }
      if (store === undefined) throw new ApiError(404, 'This gateway has no store, so it has no audit log');
      const { after_id: afterId, actor, action, subject, since, until: end } = query;
      const limit = readWhole('limit', query.limit, MOST_LISTED) ?? DEFAULT_LIMIT;
      checkAction(action);
      const from = since === undefined ? undefined : readTime('since', since);
      const until = end === undefined ? undefined : readTime('until', end);
      const wanted = defined({ afterId, actor, action, subject, from, until });
      const found = await store.audit.list({ ...wanted, limit: limit + 1 });
      return pageOf(found.slice(0, limit).map(writeEntry), found.length > limit);
    },
  );
}

const DEFAULT_LIMIT = 100;
const MOST_LISTED = 1_000;

/** The actions, and their kinds: the part before the dot. */
const ASKED_ACTIONS = [...new Set(AUDIT_ACTIONS.flatMap((action) => [action, action.replace(/\..*/, '')]))];

function checkAction(action: string | undefined): void {
  if (action !== undefined && !ASKED_ACTIONS.includes(action))
    throw new ApiError(400, `action: should be one of ${ASKED_ACTIONS.join(', ')}`);
}

function writeEntry({ id, at, actor, actorName, action, subject, subjectName, detail }: AuditEntry): Listed {
  return {
    ...{ id, at: new Date(at).toISOString(), actor, action, subject, detail },
    ...defined({ actor_name: actorName, subject_name: subjectName }),
  };
}
