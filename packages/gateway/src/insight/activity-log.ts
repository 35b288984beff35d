import type { Holding, MemoryBudget } from '../catalogs/index.ts';
import type { EventOf, RequestRecord } from '../events/index.ts';

/** The latest requests, in memory: what the console shows live. */
export interface ActivityLog {
  add(record: RequestRecord): void;
  /** The latest first. */
  list(query: ActivityQuery): readonly RequestRecord[];
  get(id: string, owner: string | undefined): RequestRecord | undefined;
  /** A server has changed: notifies the followers that ask for it. */
  notice(event: ServerNotice): void;
  /** Whether someone is called back. */
  readonly isFollowed: boolean;
  /** Calls back for new records, and for changes of servers if requested, until the returned function is called. */
  follow(follower: ActivityFollower): () => void;
}

/** A server's state or one of its definitions has changed. */
export type ServerNotice = EventOf<'server-change' | 'definition-change'>;

export interface ActivityFollower {
  /** Whose requests; every key's if undefined. */
  readonly owner: string | undefined;
  onRecord(record: RequestRecord): void;
  /** @default changes of servers are left out */
  readonly onNotice?: (event: ServerNotice) => void;
}

export interface ActivityQuery {
  /** Whose requests; every key's if undefined. */
  readonly owner: string | undefined;
  readonly limit: number;
  /** Only requests that began before this time. */
  readonly beforeMs?: number;
  readonly outcome?: ActivityOutcome;
}

/** `nothing`: a search found nothing. `refused`: a call was refused. `unsearched`: tools were deferred, and the conversation has neither searched nor called one. */
export const ACTIVITY_OUTCOMES = ['nothing', 'refused', 'unsearched', 'failed', 'loss'] as const;

export type ActivityOutcome = (typeof ACTIVITY_OUTCOMES)[number];

/** How many requests are kept, of all keys together. */
const KEPT = 2_000;

/** Records are added and dropped by the page: counting each one would cost more than the record. */
const PAGE_RECORDS = 100;

interface Page {
  records: RequestRecord[];
  bytes: number;
  /** Whether records may be added: not after the memory had no room for it. */
  isOpen: boolean;
  holding: Holding | undefined;
}

/**
 * @param memory counts the records with all caches; the oldest are dropped when it has no room for them
 * @param settle adds what was recorded so far
 */
export function createActivityLog(memory: MemoryBudget, settle: () => void = () => undefined): ActivityLog {
  // Pages are reused in turn: the budget may hold on to a page that was thrown away, and with it its records, until the whole heap is
  // collected.
  const pages: readonly Page[] = Array.from({ length: KEPT / PAGE_RECORDS + 1 }, () => ({
    ...{ records: [], bytes: 0, isOpen: false, holding: undefined },
  }));
  let current = 0;
  const followers = new Set<ActivityFollower>();
  const isVisible = (owner: string | undefined, record: RequestRecord): boolean =>
    owner === undefined || record.owner === owner;

  /** The page to add to: the current one, or the oldest one, reused. */
  function pageToFill(): Page | undefined {
    const page = pages[current];
    if (page?.isOpen === true && page.records.length < PAGE_RECORDS) return page;
    current = (current + 1) % pages.length;
    const next = pages[current];
    if (next === undefined) return undefined;
    next.holding?.end();
    empty(next);
    next.isOpen = true;
    next.holding = memory.hold(MEMORY_OWNER, 0, () => empty(next));
    return next;
  }

  /** The latest first. */
  function* latest(): Generator<RequestRecord> {
    for (let back = 0; back < pages.length; back += 1) {
      const { records } = pages[(current - back + pages.length) % pages.length] ?? { records: [] };
      for (let at = records.length - 1; at >= 0; at -= 1) {
        const record = records[at];
        if (record !== undefined) yield record;
      }
    }
  }

  const log: ActivityLog & { isFollowed: boolean } = {
    isFollowed: false,
    add(record) {
      const page = pageToFill();
      if (page === undefined) return;
      page.records.push(record);
      page.bytes += bytesOf(record);
      page.holding?.resize(page.bytes);
      for (const { owner, onRecord } of followers) if (isVisible(owner, record)) onRecord(record);
    },
    list({ owner, limit, beforeMs = Number.POSITIVE_INFINITY, outcome }) {
      settle();
      const found: RequestRecord[] = [];
      for (const record of latest()) {
        if (found.length >= limit) break;
        if (record.atMs >= beforeMs || !isVisible(owner, record)) continue;
        if (outcome === undefined || hasOutcome(record, outcome)) found.push(record);
      }
      return found;
    },
    get(id, owner) {
      settle();
      for (const record of latest()) if (record.id === id && isVisible(owner, record)) return record;
      return undefined;
    },
    notice(event) {
      for (const { onNotice } of followers) onNotice?.(event);
    },
    follow(follower) {
      settle();
      followers.add(follower);
      log.isFollowed = true;
      return () => {
        followers.delete(follower);
        log.isFollowed = followers.size > 0;
      };
    },
  };
  return log;
}

function empty(page: Page): void {
  page.records = [];
  page.bytes = 0;
  page.isOpen = false;
}

/** They belong to every key. No key has this id. */
const MEMORY_OWNER = 'activity';

/** About how much memory a record takes: its fields, its entries, and their texts. */
function bytesOf({ searches, loaded, called, refused, steps }: RequestRecord): number {
  let bytes = RECORD_BYTES + (refused.length + steps.length) * ENTRY_BYTES + bytesOfTexts(called);
  for (const { tool, name } of loaded) bytes += ENTRY_BYTES + tool.length + name.length;
  for (const { queries, found, tools, reasons } of searches) {
    bytes += SEARCH_BYTES + bytesOfTexts(queries) + bytesOfTexts(found) + bytesOfTexts(tools) + bytesOfTexts(reasons);
  }
  return bytes;
}

function bytesOfTexts(texts: readonly string[] = []): number {
  let bytes = 0;
  for (const text of texts) bytes += STRING_BYTES + text.length;
  return bytes;
}

const RECORD_BYTES = 640;
const SEARCH_BYTES = 256;
const ENTRY_BYTES = 96;
/** A string, and its slot in a list. */
const STRING_BYTES = 32;

/** Which of these outcomes a request is listed under. */
export function outcomesOf(record: RequestRecord): readonly ActivityOutcome[] {
  return ACTIVITY_OUTCOMES.filter((outcome) => hasOutcome(record, outcome));
}

function hasOutcome(record: RequestRecord, outcome: ActivityOutcome): boolean {
  const { searches, refused, reach, status, error, tokens } = record;
  switch (outcome) {
    case 'nothing':
      return searches.some((search) => search.outcome === 'none');
    case 'refused':
      return refused.length > 0;
    case 'unsearched':
      return reach === 'neither';
    case 'failed':
      // A stream that was cut has begun with 200.
      return status >= 400 || error !== undefined;
    case 'loss':
      return tokens !== undefined && tokens.net < 0;
  }
}
