import { POLICIES } from '@quartermaster/core/catalog';
import { KEY_ENDPOINTS, KEY_ROLES } from '@quartermaster/host/store';
import {
  choice,
  component,
  described,
  FLAG,
  list,
  NUMBER,
  named,
  optional,
  record,
  type Schema,
  TEXT,
  TIME,
  WHOLE,
} from './schema.ts';

const POLICY = choice(POLICIES);
const FINDING: Schema = component(
  'ToolFinding',
  record({
    kind: choice(['lint', 'trust']),
    rule: TEXT,
    level: choice(['error', 'warning']),
    message: TEXT,
    'suggestion?': described(TEXT, 'A better description.'),
  }),
);

const CHANGE: Schema = component(
  'DefinitionChange',
  record({
    tool: TEXT,
    server: TEXT,
    hash: described(TEXT, 'Identifies this change; a decision about it repeats it.'),
    held: described(FLAG, 'Whether the tool is held back until the change is accepted.'),
    is_new: FLAG,
    fields: list(record({ field: TEXT, before: optional(TEXT), after: optional(TEXT) })),
    tokens: record({ before: optional(NUMBER), after: NUMBER }),
    findings: list(FINDING),
  }),
);

const SERVER: Schema = component(
  'Server',
  record({
    name: TEXT,
    state: choice(['idle', 'connecting', 'ready', 'down', 'sign-in']),
    'reason?': TEXT,
    'retry_in_ms?': described(NUMBER, 'When the gateway tries to reach it again, if it does.'),
    tools: WHOLE,
    tokens: WHOLE,
    pins: described(WHOLE, 'Tools that are always sent in full.'),
    problems: list(TEXT),
    trust_findings: WHOLE,
    changes: list(CHANGE),
    'protocol_version?': TEXT,
    'stderr?': TEXT,
  }),
);

export const SERVERS_ANSWER: Schema = record({
  data: list(SERVER),
  may_manage: described(FLAG, 'Whether this key may change policies and accept definitions.'),
});
export const SERVER_ANSWER: Schema = SERVER;
export const CHECK_SERVERS_BODY: Schema = record({
  text: described(
    { type: 'string', minLength: 1, maxLength: 262_144 },
    'The block of servers of an MCP client: JSON, YAML or TOML.',
  ),
});
export const CHECK_SERVERS_ANSWER: Schema = record({
  data: list(
    component(
      'CheckedServer',
      record({
        name: TEXT,
        transport: choice(['stdio', 'http']),
        is_off: FLAG,
        entry: described({ type: 'object' }, 'The entry for mcpServers in the settings.'),
        problems: list(TEXT),
        notes: list(TEXT),
        is_known: described(FLAG, 'Whether the gateway already has a server of this name.'),
      }),
    ),
  ),
  'problem?': described(TEXT, 'Why the text can not be read.'),
  'line?': WHOLE,
});
export const SIGN_IN_ANSWER: Schema = record({
  url: described(optional(TEXT), 'Where the user signs in; null if that is not needed.'),
});

export const TOOLS_ANSWER: Schema = record({
  name: TEXT,
  tokens: described(WHOLE, 'What all definitions cost in a prompt.'),
  deferred_tokens: described(WHOLE, 'What is sent in their place when they are deferred.'),
  context_tokens: WHOLE,
  suggested_pins: list(TEXT),
  data: list(
    component(
      'ToolFacts',
      record({
        tool: TEXT,
        'server?': TEXT,
        name: TEXT,
        model_name: TEXT,
        description: TEXT,
        tokens: WHOLE,
        policy: POLICY,
        calls: WHOLE,
        findings: list(FINDING),
      }),
    ),
  ),
});

const STORED_POLICY: Schema = component(
  'StoredPolicy',
  record({ kind: choice(['server', 'tool']), name: TEXT, policy: POLICY }),
);
export const POLICIES_ANSWER: Schema = record({ data: list(STORED_POLICY) });
export const POLICIES_BODY: Schema = record({
  changes: list(
    record({
      kind: choice(['server', 'tool']),
      name: { type: 'string', minLength: 1, maxLength: 512 },
      policy: described(
        { anyOf: [POLICY, { type: 'null' }] },
        'never: always sent in full. automatic: the gate decides. always: always held back. null: as in the settings.',
      ),
    }),
    { minItems: 1, maxItems: 1000 },
  ),
});

export const APPROVALS_ANSWER: Schema = record({ data: list(CHANGE) });
export const APPROVAL_BODY: Schema = record({
  tool: TEXT,
  hash: described(TEXT, 'The hash of the change that was reviewed.'),
});
export const APPROVAL_ANSWER: Schema = record({ type: choice(['definition_accepted']), tool: TEXT, hash: TEXT });

export const VERSIONS_ANSWER: Schema = record({
  data: list(record({ version: WHOLE, hash: TEXT, tool_count: WHOLE, created_at: TIME, created_by: TEXT })),
});

export const OWNER_BODY: Schema = record({
  owner: described(
    { type: 'string', minLength: 1, maxLength: 512 },
    'The id of the key that the catalog belongs to from now on.',
  ),
});

/** As in the settings: 0 allows nothing. */
const LIMIT: Schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const LIMITS: Schema = component(
  'KeyLimits',
  record({
    'requestsPerMinute?': LIMIT,
    'tokensPerMinute?': LIMIT,
    'searchesPerMinute?': LIMIT,
    'tokensPerDay?': LIMIT,
    'tokensPerMonth?': LIMIT,
  }),
);

const PATTERNS: Schema = list({ type: 'string', minLength: 1, maxLength: 512 }, { maxItems: 100 });
const TOOL_RULES: Schema = record({ 'allow?': PATTERNS, 'deny?': PATTERNS });
const ENDPOINTS: Schema = list(choice(KEY_ENDPOINTS));
const WRITES: Schema = described(PATTERNS, 'Catalogs of other keys that it may change, but not delete.');
const RIGHTS = {
  models: PATTERNS,
  catalogs: PATTERNS,
  limits: LIMITS,
  'writes?': WRITES,
  role: choice(KEY_ROLES),
  'endpoints?': ENDPOINTS,
  'tools?': TOOL_RULES,
};

const KEY: Schema = component(
  'Key',
  record({
    id: TEXT,
    name: TEXT,
    source: described(choice(['store', 'settings']), 'Keys from the settings are changed there.'),
    state: choice(['active', 'expired', 'revoked']),
    ...RIGHTS,
    'created_at?': TIME,
    'expires_at?': TIME,
    'last_used_at?': TIME,
    'revoked_at?': TIME,
    'used?': described(named(WHOLE), 'What is used of each limit now, by the name of the limit.'),
  }),
);
export const KEYS_ANSWER: Schema = record({
  data: list(KEY),
  may_manage: described(FLAG, 'Whether this key may create, change and revoke keys.'),
});
export const NEW_KEY_BODY: Schema = record({
  name: { type: 'string', minLength: 1, maxLength: 128 },
  'models?': described(PATTERNS, 'Default: every model.'),
  'catalogs?': described(PATTERNS, 'Default: every catalog.'),
  'writes?': WRITES,
  'limits?': LIMITS,
  'role?': choice(KEY_ROLES),
  'endpoints?': ENDPOINTS,
  'tools?': TOOL_RULES,
  'expires_at?': TIME,
});
export const KEY_CHANGE_BODY: Schema = record({
  'models?': PATTERNS,
  'catalogs?': PATTERNS,
  'writes?': WRITES,
  'limits?': LIMITS,
  'role?': choice(KEY_ROLES),
  'endpoints?': described(optional(ENDPOINTS), 'null: all.'),
  'tools?': described(optional(TOOL_RULES), 'null: all tools of its catalogs.'),
  'expires_at?': described(optional(TIME), 'A time in ISO 8601, or null: never.'),
});
export const ROTATE_BODY: Schema = record({
  'overlap_seconds?': described(
    { type: 'integer', minimum: 0, maximum: 2_592_000 },
    'How long the old secret keeps working.',
  ),
});
export const KEY_ANSWER: Schema = KEY;
export const SECRET_ANSWER: Schema = record({
  key: KEY,
  secret: described(TEXT, 'Shown only once; only its hash is stored.'),
});
