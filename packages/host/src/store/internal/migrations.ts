/** One step of the tables' history. Steps are only ever added: a released one is never edited. */
export interface Migration {
  readonly name: string;
  /** Statements that both databases understand, with `BYTES` for binary columns. */
  readonly statements: readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'first tables',
    statements: [
      // `lease` is the token of the claim that holds or held the item. It may be claimed from `available_at` (its creation
      // while fresh, its lease's end while leased) until `claimable_until` (the batch's expiry, 0 once it is cancelled):
      // both are in the item, so that the next items are read from one index without a look at their batches.
      `CREATE TABLE batches (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        cancel_initiated_at BIGINT,
        ended_at BIGINT,
        processing BIGINT NOT NULL,
        succeeded BIGINT NOT NULL,
        errored BIGINT NOT NULL,
        canceled BIGINT NOT NULL,
        expired BIGINT NOT NULL
      )`,
      'CREATE INDEX batches_by_owner ON batches (owner, created_at, id)',
      'CREATE INDEX batches_open ON batches (expires_at) WHERE ended_at IS NULL',
      `CREATE TABLE batch_items (
        batch_id TEXT NOT NULL,
        position BIGINT NOT NULL,
        custom_id TEXT NOT NULL,
        params TEXT,
        available_at BIGINT NOT NULL,
        claimable_until BIGINT NOT NULL,
        attempts BIGINT NOT NULL,
        lease TEXT,
        outcome TEXT,
        result TEXT,
        PRIMARY KEY (batch_id, position)
      )`,
      'CREATE INDEX batch_items_open ON batch_items (available_at, batch_id, position) WHERE outcome IS NULL',
      // The tools last: SQLite reads a row in order, and they can be megabytes.
      `CREATE TABLE catalogs (
        name TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        tool_count BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        tools TEXT NOT NULL
      )`,
      `CREATE TABLE api_keys (
        id TEXT PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        permissions TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        revoked_at BIGINT
      )`,
      `CREATE TABLE rate_windows (
        bucket TEXT NOT NULL,
        started_at BIGINT NOT NULL,
        used BIGINT NOT NULL,
        forgotten_at BIGINT NOT NULL,
        PRIMARY KEY (bucket, started_at)
      )`,
      'CREATE INDEX rate_windows_by_age ON rate_windows (forgotten_at)',
      `CREATE TABLE usage_days (
        owner TEXT NOT NULL,
        day TEXT NOT NULL,
        requests BIGINT NOT NULL,
        searches BIGINT NOT NULL,
        input_tokens BIGINT NOT NULL,
        output_tokens BIGINT NOT NULL,
        PRIMARY KEY (owner, day)
      )`,
      `CREATE TABLE usage_tools (
        owner TEXT NOT NULL,
        tool TEXT NOT NULL,
        calls BIGINT NOT NULL,
        PRIMARY KEY (owner, tool)
      )`,
      // A listing's tools by their hash, and what else each server said: servers with the same tools share them.
      `CREATE TABLE mcp_tools (
        hash TEXT PRIMARY KEY,
        tools TEXT NOT NULL
      )`,
      `CREATE TABLE mcp_listings (
        server TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        about TEXT NOT NULL,
        updated_at BIGINT NOT NULL
      )`,
      'CREATE INDEX mcp_listings_by_hash ON mcp_listings (hash)',
      `CREATE TABLE mcp_pins (
        server TEXT PRIMARY KEY,
        pins TEXT NOT NULL,
        updated_at BIGINT NOT NULL
      )`,
      `CREATE TABLE vectors (
        model TEXT NOT NULL,
        hash TEXT NOT NULL,
        vector BYTES NOT NULL,
        PRIMARY KEY (model, hash)
      )`,
      `CREATE TABLE sealed_tokens (
        place TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        sealed BYTES NOT NULL,
        updated_at BIGINT NOT NULL
      )`,
      'CREATE INDEX sealed_tokens_by_holder ON sealed_tokens (holder)',
    ],
  },
  {
    name: 'progress of batch items, headers of batches',
    statements: ['ALTER TABLE batch_items ADD COLUMN progress TEXT', 'ALTER TABLE batches ADD COLUMN headers TEXT'],
  },
  {
    name: 'agent sessions',
    statements: [
      // Appenders lock the row of a session.
      `CREATE TABLE agent_sessions (
        id TEXT PRIMARY KEY,
        record_count BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL
      )`,
      `CREATE TABLE agent_session_records (
        session_id TEXT NOT NULL,
        position BIGINT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (session_id, position)
      )`,
    ],
  },
  {
    name: 'owners of catalogs; expiry, rotation and use of keys; an audit log',
    statements: [
      'ALTER TABLE catalogs ADD COLUMN owner TEXT',
      'ALTER TABLE api_keys ADD COLUMN expires_at BIGINT',
      'ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT',
      // The secret before the last rotation, until it expires.
      'ALTER TABLE api_keys ADD COLUMN previous_hash TEXT',
      'ALTER TABLE api_keys ADD COLUMN previous_until BIGINT',
      'CREATE INDEX api_keys_by_previous_hash ON api_keys (previous_hash)',
      `CREATE TABLE audit_log (
        id TEXT PRIMARY KEY,
        at BIGINT NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        detail TEXT NOT NULL
      )`,
      'CREATE INDEX audit_log_by_time ON audit_log (at, id)',
    ],
  },
  {
    name: 'what responses hid from their clients',
    statements: [
      `CREATE TABLE transcript_entries (
        entry TEXT PRIMARY KEY,
        sealed BYTES NOT NULL,
        size BIGINT NOT NULL,
        created_at BIGINT NOT NULL
      )`,
      'CREATE INDEX transcript_entries_by_age ON transcript_entries (created_at, entry)',
      `CREATE TABLE transcript_ids (
        place TEXT PRIMARY KEY,
        entry TEXT NOT NULL
      )`,
      'CREATE INDEX transcript_ids_by_entry ON transcript_ids (entry)',
    ],
  },
  {
    name: 'large values in parts, and indexes by content',
    statements: [
      // A value that is too large for one statement: see blob-parts.ts.
      `CREATE TABLE blob_parts (
        blob TEXT NOT NULL,
        part BIGINT NOT NULL,
        body BYTES NOT NULL,
        created_at BIGINT NOT NULL,
        PRIMARY KEY (blob, part)
      )`,
      'CREATE INDEX blob_parts_by_age ON blob_parts (created_at)',
      'ALTER TABLE catalogs ADD COLUMN blob TEXT',
      'ALTER TABLE catalogs ADD COLUMN blob_count BIGINT',
      'CREATE INDEX catalogs_by_blob ON catalogs (blob)',
      `CREATE TABLE search_indexes (
        content TEXT PRIMARY KEY,
        blob TEXT NOT NULL,
        blob_count BIGINT NOT NULL,
        size BIGINT NOT NULL,
        used_at BIGINT NOT NULL
      )`,
      'CREATE INDEX search_indexes_by_blob ON search_indexes (blob)',
      'CREATE INDEX search_indexes_by_use ON search_indexes (used_at, content)',
    ],
  },
  {
    name: 'who renews tokens',
    statements: [
      `CREATE TABLE token_claims (
        place TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        ends_at BIGINT NOT NULL
      )`,
    ],
  },
  {
    name: 'policies set while running, versions of catalogs',
    statements: [
      `CREATE TABLE tool_policies (
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        policy TEXT NOT NULL,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (kind, name)
      )`,
      'ALTER TABLE catalogs ADD COLUMN version BIGINT',
      `CREATE TABLE catalog_versions (
        name TEXT NOT NULL,
        version BIGINT NOT NULL,
        hash TEXT NOT NULL,
        tool_count BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        created_by TEXT NOT NULL,
        PRIMARY KEY (name, version)
      )`,
    ],
  },
  {
    name: 'what tool search did and saved',
    statements: [
      `CREATE TABLE insight_days (
        day TEXT NOT NULL,
        owner TEXT NOT NULL,
        model TEXT NOT NULL,
        form TEXT NOT NULL,
        catalog TEXT NOT NULL,
        requests BIGINT NOT NULL,
        deferred BIGINT NOT NULL,
        searched BIGINT NOT NULL,
        called BIGINT NOT NULL,
        neither BIGINT NOT NULL,
        searches BIGINT NOT NULL,
        found_nothing BIGINT NOT NULL,
        found BIGINT NOT NULL,
        unused BIGINT NOT NULL,
        kept_out BIGINT NOT NULL,
        added BIGINT NOT NULL,
        input_tokens BIGINT NOT NULL,
        output_tokens BIGINT NOT NULL,
        PRIMARY KEY (day, owner, model, form, catalog)
      )`,
      `CREATE TABLE insight_requests (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        at BIGINT NOT NULL,
        outcomes TEXT NOT NULL,
        size BIGINT NOT NULL,
        record TEXT NOT NULL
      )`,
      'CREATE INDEX insight_requests_by_time ON insight_requests (at, id)',
      'CREATE INDEX insight_requests_by_owner ON insight_requests (owner, at)',
    ],
  },
  {
    name: 'labelled requests of catalogs',
    statements: [
      `CREATE TABLE catalog_cases (
        catalog TEXT NOT NULL,
        query TEXT NOT NULL,
        tools TEXT NOT NULL,
        at BIGINT NOT NULL,
        by_key TEXT NOT NULL,
        PRIMARY KEY (catalog, query)
      )`,
    ],
  },
  {
    name: 'tools called after searches',
    statements: [
      // An empty vector if only calls are counted.
      `CREATE TABLE learned_uses (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        catalog TEXT NOT NULL,
        tool TEXT NOT NULL,
        used_at BIGINT NOT NULL,
        vector BYTES NOT NULL
      )`,
      'CREATE INDEX learned_uses_by_scope ON learned_uses (owner, catalog, used_at)',
      'CREATE INDEX learned_uses_by_age ON learned_uses (used_at)',
    ],
  },
  {
    name: 'every secret of a key that was rotated; whose MCP tasks are whose',
    statements: [
      // Replaces previous_hash, which held only the last one.
      `CREATE TABLE api_key_secrets (
        hash TEXT PRIMARY KEY,
        key_id TEXT NOT NULL,
        works_until BIGINT NOT NULL
      )`,
      'CREATE INDEX api_key_secrets_by_key ON api_key_secrets (key_id)',
      `INSERT INTO api_key_secrets (hash, key_id, works_until)
        SELECT previous_hash, id, previous_until FROM api_keys WHERE previous_hash IS NOT NULL AND previous_until IS NOT NULL`,
      `CREATE TABLE mcp_tasks (
        server TEXT NOT NULL,
        task TEXT NOT NULL,
        owner TEXT NOT NULL,
        forgotten_at BIGINT NOT NULL,
        PRIMARY KEY (server, task)
      )`,
      'CREATE INDEX mcp_tasks_by_owner ON mcp_tasks (server, owner)',
      'CREATE INDEX mcp_tasks_by_age ON mcp_tasks (forgotten_at)',
    ],
  },
];
