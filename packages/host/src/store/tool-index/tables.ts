import type { Sql, Statements } from '../internal/sql.ts';
import { StoreError } from '../store-error.ts';

/** Any number that no other program on the same server is likely to use for its own lock. */
const ADVISORY_LOCK = 7_128_846_202;

/**
 * Creates missing tables. The words of a tool stay uncompressed in their row: a search compares hundreds of rows with
 * the words of a query. Vectors and definitions have their own tables, so that neither is read for the other.
 */
export function createTables(
  sql: Sql,
  { dimensions, wanted }: { readonly dimensions: number; readonly wanted: 'auto' | 'pgvector' | 'sign-bits' },
): Promise<'pgvector' | 'sign-bits'> {
  if (sql.dialect !== 'postgres') {
    throw new StoreError(
      'unreachable',
      'search.backend postgres needs a PostgreSQL store; set store.url or DATABASE_URL',
    );
  }
  return sql.transaction(
    async (statements) => {
      await statements.all(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
      for (const text of TABLES) await statements.run(text);
      const hasColumn = await hasEmbeddings(statements);
      const vectors =
        wanted === 'auto' ? (hasColumn || (await canUsePgvector(statements)) ? 'pgvector' : 'sign-bits') : wanted;
      if (vectors === 'pgvector') {
        await statements.run('CREATE EXTENSION IF NOT EXISTS vector');
        if (!hasColumn) await statements.run(`ALTER TABLE tool_vectors ADD COLUMN embedding halfvec(${dimensions})`);
        await statements.run(
          'CREATE INDEX IF NOT EXISTS tool_vectors_by_embedding ON tool_vectors USING hnsw (embedding halfvec_ip_ops)',
        );
      }
      return vectors;
    },
    { isUnhurried: true },
  );
}

async function hasEmbeddings(statements: Statements): Promise<boolean> {
  const rows = await statements.all(
    `SELECT 1 FROM pg_attribute WHERE attrelid = 'tool_vectors'::regclass AND attname = 'embedding' AND NOT attisdropped`,
  );
  return rows.length > 0;
}

/** Installed already, or installable by a user with the permission. */
async function canUsePgvector(statements: Statements): Promise<boolean> {
  const [row] = await statements.all(
    `SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'vector') AS installed,
            (SELECT count(*) FROM pg_available_extensions WHERE name = 'vector') AS available,
            (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_super`,
  );
  return Number(row?.installed) > 0 || (Number(row?.available) > 0 && row?.is_super === true);
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS tool_catalogs (
    number INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    format TEXT NOT NULL,
    hash TEXT NOT NULL,
    revision BIGINT NOT NULL,
    tool_count BIGINT NOT NULL,
    next_tool BIGINT NOT NULL,
    field_lengths TEXT NOT NULL,
    vector_sum BYTEA NOT NULL,
    clusters BYTEA NOT NULL,
    clustered_count BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS catalog_tools (
    catalog INT NOT NULL,
    tool INT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    definition TEXT NOT NULL,
    PRIMARY KEY (catalog, tool)
  )`,
  'CREATE UNIQUE INDEX IF NOT EXISTS catalog_tools_by_key ON catalog_tools (catalog, key)',
  `CREATE TABLE IF NOT EXISTS tool_words (
    catalog INT NOT NULL,
    tool INT NOT NULL,
    words TSVECTOR NOT NULL,
    PRIMARY KEY (catalog, tool)
  )`,
  'ALTER TABLE tool_words ALTER COLUMN words SET STORAGE PLAIN',
  'CREATE INDEX IF NOT EXISTS tool_words_by_word ON tool_words USING gin (words) WITH (gin_pending_list_limit = 16384)',
  `CREATE TABLE IF NOT EXISTS tool_names (
    catalog INT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    tool INT NOT NULL,
    PRIMARY KEY (catalog, key, tool)
  )`,
  'CREATE INDEX IF NOT EXISTS tool_names_by_tool ON tool_names (catalog, tool)',
  `CREATE TABLE IF NOT EXISTS tool_vectors (
    catalog INT NOT NULL,
    tool INT NOT NULL,
    cluster INT NOT NULL,
    code BIT VARYING NOT NULL,
    vector BYTEA NOT NULL,
    PRIMARY KEY (catalog, tool)
  )`,
  'CREATE INDEX IF NOT EXISTS tool_vectors_by_cluster ON tool_vectors (catalog, cluster) INCLUDE (tool, code)',
  `CREATE TABLE IF NOT EXISTS tool_terms (
    catalog INT NOT NULL,
    term TEXT COLLATE "C" NOT NULL,
    tools BIGINT NOT NULL,
    PRIMARY KEY (catalog, term)
  )`,
] as const;
