export {
  AUDIT_ACTIONS,
  AUDIT_DAYS,
  type AuditAction,
  type AuditEntry,
  type AuditQuery,
  type AuditStore,
  type NewAuditEntry,
} from './audit-store.ts';
export {
  BATCH_LIFETIME_MS,
  type Batch,
  type BatchCounts,
  type BatchPage,
  type BatchQuery,
  type BatchResult,
  type BatchStore,
  type Claim,
  type ClaimedItem,
  type ItemResult,
  type Lease,
  type LeaseState,
  type NewBatch,
  type NewBatchItem,
  type Outcome,
} from './batch-store.ts';
export { type CaseStore, MOST_CASE_CHARACTERS, type StoredCase } from './case-store.ts';
export type {
  CatalogActor,
  CatalogHead,
  CatalogOutcome,
  CatalogStore,
  CatalogVersion,
  NamedCatalog,
  NewCatalog,
} from './catalog-store.ts';
export { readEncryptionKey } from './encryption-key.ts';
export type { IndexStore } from './index-store.ts';
export {
  INSIGHT_COUNTS,
  type InsightCell,
  type InsightCounts,
  type InsightPlace,
  type InsightQuery,
  type InsightRecord,
  type InsightStore,
} from './insight-store.ts';
export {
  type ApiKey,
  hashApiKey,
  KEY_ENDPOINTS,
  KEY_ROLES,
  type KeyChange,
  type KeyLimits,
  type KeyPermissions,
  type KeyRole,
  type KeyStore,
  type KeyToolRules,
  type NewApiKey,
  normalizeKeyName,
} from './key-store.ts';
export type { LearnedUseStore, UseScope, UseSummary } from './learned-use-store.ts';
export type { ListingStore, StoredListing } from './listing-store.ts';
export { makeFolder } from './make-folder.ts';
export { openStore, type Store, type StoreLocation, type StoreOptions } from './open-store.ts';
export type { Pin, PinStore } from './pin-store.ts';
export type { PolicyChange, PolicyStore, StoredPolicy } from './policy-store.ts';
export type { BudgetUse, RateAnswer, RateLimitStore, RateRequest } from './rate-limit-store.ts';
export type { SessionStore } from './session-store.ts';
export { StoreError, type StoreErrorCode } from './store-error.ts';
export type { TaskOwnerStore, TaskPlace } from './task-owner-store.ts';
export type { TokenOwner, TokenStore } from './token-store.ts';
export type { CatalogFigures } from './tool-index/catalog-figures.ts';
export type { CandidatePlan } from './tool-index/find-tools.ts';
export { TERM } from './tool-index/term-counts.ts';
export type { ToolIndex, ToolIndexOptions } from './tool-index/tool-index.ts';
export type { IndexedTool } from './tool-index/tool-rows.ts';
export type { SyncOptions, SyncOutcome, ToolChanges } from './tool-index/write-tools.ts';
export type { TranscriptRecords } from './transcript-records.ts';
export type { DayUsage, Usage, UsageStore } from './usage-store.ts';
export type { VectorStore } from './vector-store.ts';
