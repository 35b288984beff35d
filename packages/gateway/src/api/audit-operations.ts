import { AUDIT_ACTIONS } from '@quartermaster/host/store';
import type { Operation } from './api.ts';
import { choice, component, described, FLAG, list, optional, record, TEXT } from './schema.ts';

const TIME = described(TEXT, 'A time in ISO 8601.');

export const LIST_CHANGES: Operation = {
  endpoint: 'keys',
  summary:
    'The audit log, newest first: who changed which key, catalog, labelled request, policy or definition. Requires an admin key without restrictions.',
  query: record({
    'limit?': described({ type: 'integer', minimum: 1, maximum: 1_000 }, 'Default: 100.'),
    'after_id?': described(TEXT, 'The last_id of the page before.'),
    'actor?': described(TEXT, 'The id or name of the key that made the change; empty for the command line.'),
    'action?': described(TEXT, 'An action such as key.rotate, or all of a kind: key.'),
    'subject?': described(TEXT, 'What was changed: the name of a catalog, the id of a tool, the id or name of a key.'),
    'since?': TIME,
    'until?': TIME,
  }),
  answer: record({
    data: list(
      component(
        'AuditEntry',
        record({
          id: TEXT,
          at: TIME,
          actor: described(TEXT, 'The id of a key; empty for a program with access to the store itself.'),
          'actor_name?': TEXT,
          action: choice(AUDIT_ACTIONS),
          subject: TEXT,
          'subject_name?': described(TEXT, 'Where the subject is a key.'),
          detail: TEXT,
        }),
      ),
    ),
    has_more: FLAG,
    first_id: optional(TEXT),
    last_id: optional(TEXT),
  }),
};
