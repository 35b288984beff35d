import type { AuditStore } from './audit-store.ts';
import type { BatchStore } from './batch-store.ts';
import type { CaseStore } from './case-store.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { IndexStore } from './index-store.ts';
import type { InsightStore } from './insight-store.ts';
import type { KeyStore } from './key-store.ts';
import type { LearnedUseStore } from './learned-use-store.ts';
import type { ListingStore } from './listing-store.ts';
import type { PinStore } from './pin-store.ts';
import type { PolicyStore } from './policy-store.ts';
import type { RateLimitStore } from './rate-limit-store.ts';
import type { SessionStore } from './session-store.ts';
import type { TaskOwnerStore } from './task-owner-store.ts';
import type { TokenStore } from './token-store.ts';
import type { ToolIndex, ToolIndexOptions } from './tool-index/index.ts';
import type { TranscriptRecords } from './transcript-records.ts';
import type { UsageStore } from './usage-store.ts';
import type { VectorStore } from './vector-store.ts';

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
