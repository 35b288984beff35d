import type { GatewayEvent, RequestRecord } from '../events/index.ts';

/** The latest requests, in memory: what the console shows live. */
export interface ActivityLog {
  add(record: RequestRecord): void;
  /** The latest first. */
  list(query: ActivityQuery): readonly RequestRecord[];
  get(id: string, owner: string | undefined): RequestRecord | undefined;
  /** A server has changed: tells the followers that ask for it. */
  notice(event: ServerNotice): void;
  /** Calls back for new records, and for changes of servers if asked to, until the returned function is called. */
  follow(follower: ActivityFollower): () => void;
}

/** A server's state or one of its definitions has changed. */
export type ServerNotice = Extract<GatewayEvent, { kind: 'server-change' | 'definition-change' }>;

export interface ActivityFollower {
  /** Whose requests; every key's where it is undefined. */
  readonly owner: string | undefined;
  onRecord(record: RequestRecord): void;
  /** @default changes of servers are left out */
  readonly onNotice?: (event: ServerNotice) => void;
}

export interface ActivityQuery {
  /** Whose requests; every key's where it is undefined. */
  readonly owner: string | undefined;
  readonly limit: number;
  /** Only requests that began before this time. */
  readonly beforeMs?: number;
  readonly outcome?: ActivityOutcome;
}

/** `nothing`: a search found nothing. `refused`: a call was refused. `unsearched`: tools were deferred, and the conversation has neither searched nor called one. */
export const ACTIVITY_OUTCOMES = ['nothing', 'refused', 'unsearched', 'failed', 'loss'] as const;

export type ActivityOutcome = (typeof ACTIVITY_OUTCOMES)[number];

/** How many requests are kept, of all keys together. A record holds a few kilobytes at most. */
const KEPT = 2_000;

export function createActivityLog(): ActivityLog {
  const records: RequestRecord[] = [];
  const followers = new Set<ActivityFollower>();
  const isVisible = (owner: string | undefined, record: RequestRecord): boolean =>
    owner === undefined || record.owner === owner;
  return {
    add(record) {
      records.push(record);
      // In bulk, so that a busy gateway doesn't move two thousand entries for each request.
      if (records.length > KEPT * 1.25) records.splice(0, records.length - KEPT);
      for (const { owner, onRecord } of followers) if (isVisible(owner, record)) onRecord(record);
    },
    list({ owner, limit, beforeMs = Number.POSITIVE_INFINITY, outcome }) {
      const found: RequestRecord[] = [];
      for (let at = records.length - 1; at >= 0 && found.length < limit; at -= 1) {
        const record = records[at];
        if (record === undefined || record.atMs >= beforeMs || !isVisible(owner, record)) continue;
        if (outcome === undefined || hasOutcome(record, outcome)) found.push(record);
      }
      return found;
    },
    get: (id, owner) => records.find((record) => record.id === id && isVisible(owner, record)),
    notice(event) {
      for (const { onNotice } of followers) onNotice?.(event);
    },
    follow(follower) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
  };
}

/** Under which of these a request is listed. */
export function outcomesOf(record: RequestRecord): readonly ActivityOutcome[] {
  return ACTIVITY_OUTCOMES.filter((outcome) => hasOutcome(record, outcome));
}

function hasOutcome(record: RequestRecord, outcome: ActivityOutcome): boolean {
  const { searches, refused, reach, status, tokens } = record;
  switch (outcome) {
    case 'nothing':
      return searches.some((search) => search.outcome === 'none');
    case 'refused':
      return refused.length > 0;
    case 'unsearched':
      return reach === 'neither';
    case 'failed':
      return status >= 400;
    case 'loss':
      return tokens !== undefined && tokens.net < 0;
  }
}
