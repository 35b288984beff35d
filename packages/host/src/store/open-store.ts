import { randomBytes } from 'node:crypto';
import { checkOptionNames, type OptionNames } from '@quartermaster/core/internal';
import { AUDIT_DAYS, type AuditStore, createAuditStore } from './audit-store.ts';
import type { BatchStore } from './batch-store.ts';
import { type CaseStore, createCaseStore } from './case-store.ts';
import { type CatalogStore, createCatalogStore } from './catalog-store.ts';
import { createIndexStore, type IndexStore } from './index-store.ts';
import { createInsightStore, type InsightStore } from './insight-store.ts';
import { batchRecords } from './internal/batch-records.ts';
import { batchWork } from './internal/batch-work.ts';
import { sweepBlobs } from './internal/blob-parts.ts';
import { numberOf } from './internal/columns.ts';
import { isConnectionLost } from './internal/database-fault.ts';
import { migrate } from './internal/migrate.ts';
import type { PostgresTimeouts } from './internal/open-postgres.ts';
import { createSeal } from './internal/seal.ts';
import type { Sql } from './internal/sql.ts';
import type { StoreContext } from './internal/store-context.ts';
import { type SpaceWatch, watchSpace } from './internal/watch-space.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { createLearnedUseStore, type LearnedUseStore } from './learned-use-store.ts';
import { createListingStore, type ListingStore } from './listing-store.ts';
import { createPinStore, type PinStore } from './pin-store.ts';
import { createPolicyStore, type PolicyStore } from './policy-store.ts';
import { createRateLimitStore, type RateLimitStore } from './rate-limit-store.ts';
import { createSessionStore, type SessionStore } from './session-store.ts';
import { StoreError } from './store-error.ts';
import { createTaskOwnerStore, type TaskOwnerStore } from './task-owner-store.ts';
import { createTokenStore, type TokenStore } from './token-store.ts';
import { openToolIndex, type ToolIndex, type ToolIndexOptions } from './tool-index/tool-index.ts';
import { createTranscriptRecords, type TranscriptRecords } from './transcript-records.ts';
import { createUsageStore, type UsageStore } from './usage-store.ts';
import { createVectorStore, type VectorStore } from './vector-store.ts';

/** Everything that must outlast the process. Depend on the one area that you need, not on the whole. */
export interface Store {
  readonly batches: BatchStore;
  readonly audit: AuditStore;
  readonly cases: CaseStore;
  readonly catalogs: CatalogStore;
  readonly keys: KeyStore;
  readonly rateLimits: RateLimitStore;
  readonly usage: UsageStore;
  readonly learnedUses: LearnedUseStore;
  readonly listings: ListingStore;
  readonly pins: PinStore;
  readonly policies: PolicyStore;
  readonly indexes: IndexStore;
  readonly insight: InsightStore;
  readonly vectors: VectorStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly taskOwners: TaskOwnerStore;
  readonly transcripts: TranscriptRecords;
  /** Opens the index of catalogs in the database, and creates its tables. Fails with `unreachable` on SQLite. */
  openToolIndex(options: ToolIndexOptions): Promise<ToolIndex>;
  /** Fails if the database does not respond, or if it had no space for the last write and still has none. */
  ping(): Promise<void>;
  /** Ends and deletes what has expired; any replica may do it at any time, once a minute is enough. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** A PostgreSQL server that replicas share, or one SQLite file (`:memory:` keeps nothing). */
export type StoreLocation = { readonly url: string } | { readonly path: string };

/** Options of `openStore`. */
export interface StoreOptions {
  /** AES-256 keys for tokens: the first one encrypts, all of them decrypt. @default none, and tokens are refused */
  readonly encryptionKeys?: readonly Uint8Array[];
  /** Milliseconds since 1970. @default the system's clock, corrected to the database server's so that replicas agree */
  readonly now?: () => number;
  /** How many days entries of the audit log are kept. @default 365 */
  readonly auditDays?: number;
  /** How long PostgreSQL may take. @default POSTGRES_TIMEOUTS */
  readonly timeouts?: PostgresTimeouts;
  /** A new id with the prefix, never the same twice. @default 24 random letters and digits */
  readonly createId?: (prefix: string) => string;
}

const OPTIONS: OptionNames<StoreOptions & { readonly url: string; readonly path: string }> = {
  url: true,
  path: true,
  encryptionKeys: true,
  auditDays: true,
  now: true,
  timeouts: true,
  createId: true,
};

/**
 * Opens a store and brings its tables up to date.
 *
 * @example
 * const store = await openStore({ path: 'quartermaster.sqlite' }); // or { url } of a PostgreSQL
 */
export async function openStore(options: StoreLocation & StoreOptions): Promise<Store> {
  checkOptionNames('openStore', options, OPTIONS);
  const sql = await openDatabase(options);
  try {
    const now = await prepareTables(sql, options.now);
    const space = watchSpace(sql, now);
    const context = { sql: space.sql, now, createId: options.createId ?? randomId };
    return composeStore(context, {
      encryptionKeys: options.encryptionKeys ?? [],
      auditDays: options.auditDays ?? AUDIT_DAYS,
      space,
    });
  } catch (error) {
    // The reason why it can't be opened matters more than the outcome of closing it.
    await sql.close().catch(() => undefined);
    throw error;
  }
}

/** Drivers are optional peers: each is loaded when its database is opened. */
async function openDatabase(location: StoreLocation & Pick<StoreOptions, 'timeouts'>): Promise<Sql> {
  if ('url' in location) {
    const url = checkUrl(location.url);
    const { openPostgres } = await withDriver('pg', import('./internal/open-postgres.ts'));
    return openPostgres(url, location.timeouts);
  }
  const { openSqlite } = await withDriver('libsql', import('./internal/open-sqlite.ts'));
  return openSqlite(location.path);
}

async function withDriver<Module>(driver: string, loading: Promise<Module>): Promise<Module> {
  try {
    return await loading;
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    const reason = isMissing ? `npm install ${driver}` : cause instanceof Error ? cause.message : String(cause);
    throw new StoreError('unreachable', `The store needs the package ${driver}: ${reason}`, { cause });
  }
}

/** Migrates the tables, and returns their clock. Errors of the database are translated. */
async function prepareTables(sql: Sql, given: (() => number) | undefined): Promise<() => number> {
  try {
    const now = given ?? (await databaseClock(sql));
    await migrate(sql, now);
    return now;
  } catch (cause) {
    if (cause instanceof StoreError && cause.code !== 'unavailable' && cause.code !== 'full') throw cause;
    throw unreachable(cause instanceof StoreError ? (cause.cause ?? cause) : cause);
  }
}

/** The error of opening a store contains the database's own message. */
function unreachable(cause: unknown): StoreError {
  const said = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : String(cause);
  const message = isConnectionLost(cause)
    ? `PostgreSQL can't be reached: ${said}; check the store's url`
    : `The store's tables can't be created or migrated: ${said}`;
  return new StoreError('unreachable', message, { cause });
}

function composeStore(
  context: StoreContext,
  {
    encryptionKeys,
    auditDays,
    space,
  }: { readonly encryptionKeys: readonly Uint8Array[]; readonly auditDays: number; readonly space: SpaceWatch },
): Store {
  const batches = { ...batchRecords(context), ...batchWork(context) };
  const rateLimits = createRateLimitStore(context);
  const swept = {
    ...{ batches, rateLimits, learnedUses: createLearnedUseStore(context), keys: createKeyStore(context) },
    ...{ audit: createAuditStore(context, auditDays), taskOwners: createTaskOwnerStore(context) },
  };
  const seal = createSeal(encryptionKeys);
  return {
    ...swept,
    cases: createCaseStore(context),
    catalogs: createCatalogStore(context),
    usage: createUsageStore(context),
    listings: createListingStore(context),
    pins: createPinStore(context),
    policies: createPolicyStore(context),
    indexes: createIndexStore(context),
    insight: createInsightStore(context),
    vectors: createVectorStore(context),
    tokens: createTokenStore(context, seal),
    transcripts: createTranscriptRecords(context, { seal, canKeep: encryptionKeys.length > 0 }),
    sessions: createSessionStore(context),
    openToolIndex: (options) => openToolIndex(context.sql, options),
    async ping() {
      await context.sql.all('SELECT 1 AS answer');
      await space.check(() => rateLimits.charge({ bucket: 'space', windowMs: 1_000, cost: 1 }));
    },
    async sweep() {
      for (const area of Object.values(swept)) await area.sweep();
      await sweepBlobs(context);
    },
    close: () => context.sql.close(),
  };
}

/** The difference is measured once: replicas only have to judge leases by one clock, within a fraction of a second. */
async function databaseClock(sql: Sql): Promise<() => number> {
  if (sql.dialect === 'sqlite') return Date.now;
  const before = Date.now();
  const [row] = await sql.all('SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS at');
  const offset = row === undefined ? 0 : Math.round(numberOf(row, 'at') - (before + Date.now()) / 2);
  return () => Date.now() + offset;
}

function checkUrl(url: string): string {
  if (/^postgres(?:ql)?:\/\//i.test(url)) return url;
  throw new StoreError(
    'unreachable',
    "The store's url does not begin with postgres:// or postgresql://; a file is given as path",
  );
}

function randomId(prefix: string): string {
  return prefix + Array.from(randomBytes(24), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** 32 characters, so that bytes are distributed evenly over them. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
