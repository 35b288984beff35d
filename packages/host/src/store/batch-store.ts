/**
 * Message batches and their processing. Any number of replicas claim items under a lease, renew it while they work, and
 * commit one result each; an item whose worker died can be claimed again when its lease expires.
 */
export interface BatchStore {
  /** Stores a batch and its items, all or nothing. Custom ids must be unique within it. */
  create(batch: NewBatch): Promise<Batch>;
  /** A batch of this owner. */
  get(id: string, owner: string): Promise<Batch | undefined>;
  /** Newest first. `undefined` if the batch that the page should start from is not this owner's. */
  list(query: BatchQuery): Promise<BatchPage | undefined>;
  /** Cancels items that have not been started; those in progress may still finish. A batch that has ended stays as it is. */
  cancel(id: string, owner: string): Promise<Batch | undefined>;
  /** Only a batch that has ended can be deleted. */
  delete(id: string, owner: string): Promise<'deleted' | 'not-ended' | 'unknown'>;
  /** The results committed so far, in the order of the items. */
  results(id: string, owner: string): AsyncIterable<BatchResult>;

  /**
   * Counts this process as a worker for as long as it lives; called once, before the first claim. If no other worker is
   * alive, the items of dead ones are free at once, and not only when their leases expire.
   */
  enlist(): Promise<void>;
  /** Claims items, the oldest first, none that another worker holds. */
  claim(claim: Claim): Promise<readonly ClaimedItem[]>;
  /** Renews leases. Called at least twice per lease, it guarantees that no other worker starts the same item. */
  extend(leases: readonly Lease[], leaseMs: number): Promise<readonly LeaseState[]>;
  /** No worker starts the waiting items of this owner before a time: its limit is used up. Items under a lease are not affected. */
  postpone(owner: string, until: number): Promise<void>;
  /** Returns items unfinished, for others to claim at once. */
  release(leases: readonly Lease[]): Promise<void>;
  /**
   * Saves the progress of an item, for the worker that claims it next: at most the step after it is then repeated. Replaces earlier
   * progress. JSON text, deleted with the item's result.
   */
  keep(lease: Lease, progress: string): Promise<'kept' | 'lost'>;
  /** Commits an item's only result. Safe to repeat: the same lease gets the same answer. */
  complete(lease: Lease, result: ItemResult): Promise<'committed' | 'lost'>;
  /** Ends the items of expired and cancelled batches that no worker has claimed, and deletes batches past their retention. */
  sweep(): Promise<void>;
}

/** Anthropic's limit on a batch's life, after which unfinished items expire. */
export const BATCH_LIFETIME_MS: number = 24 * 60 * 60 * 1000;

/** How long the results of an ended batch are kept, as Anthropic does. */
export const BATCH_RETENTION_MS: number = 29 * BATCH_LIFETIME_MS;

/** A batch to be created. */
export interface NewBatch {
  /** Who may see it: an API key's id, or `''` without keys. */
  readonly owner: string;
  /** Headers that every item's request comes with. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  readonly items: readonly NewBatchItem[];
}

/** One request of a new batch. */
export interface NewBatchItem {
  readonly customId: string;
  /** The request as JSON text. Stored until the item has its result, then deleted. */
  readonly params: string;
}

/** A batch of requests and its progress. */
export interface Batch {
  readonly id: string;
  readonly owner: string;
  readonly status: 'in_progress' | 'canceling' | 'ended';
  readonly counts: BatchCounts;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly cancelInitiatedAt?: number;
  readonly endedAt?: number;
}

/** Their sum is the number of items. */
export interface BatchCounts {
  readonly processing: number;
  readonly succeeded: number;
  readonly errored: number;
  readonly canceled: number;
  readonly expired: number;
}

/** Which page of an owner's batches to list. */
export interface BatchQuery {
  readonly owner: string;
  /** 1 to 1,000. */
  readonly limit: number;
  /** Where the page begins: after this batch (older ones), or before it (newer ones). @default at the newest */
  readonly cursor?: { readonly kind: 'after' | 'before'; readonly id: string };
}

/** One page of a list of batches. */
export interface BatchPage {
  readonly batches: readonly Batch[];
  /** Whether there are more in the direction asked for. */
  readonly hasMore: boolean;
}

/** How an item of a batch can end. */
export type Outcome = 'succeeded' | 'errored' | 'canceled' | 'expired';

/** How an item has ended. */
export interface ItemResult {
  readonly outcome: Outcome;
  /** The `result` object of the results file as JSON text, its type included. */
  readonly result: string;
}

/** The result of one request of a batch. */
export interface BatchResult extends ItemResult {
  readonly customId: string;
}

/** How many items a worker claims, and for how long. */
export interface Claim {
  /** At most so many items, 1 to 1,000. */
  readonly limit: number;
  /** How long a lease lasts without renewal. Longer than the replicas' clocks can differ. */
  readonly leaseMs: number;
}

/** The right to process an item, proved by the token of the claim. */
export interface Lease {
  readonly batchId: string;
  readonly position: number;
  readonly token: string;
}

/** An item that a worker has taken. */
export interface ClaimedItem extends Lease {
  readonly owner: string;
  readonly customId: string;
  readonly params: string;
  /** The headers of its batch. */
  readonly headers: Readonly<Record<string, string>>;
  /** Progress saved by the holder of an earlier claim. */
  readonly progress?: string;
  /** 1 for the first try; more means that workers died or returned the item. */
  readonly attempt: number;
  /** When the batch expires. */
  readonly expiresAt: number;
}

/** `held`: continue. `canceling`: ours, but the batch was cancelled. `lost`: stop, a result of ours would be rejected. */
export type LeaseState = 'held' | 'canceling' | 'lost';
