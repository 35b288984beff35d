import type { Clock } from '@quartermaster/core/internal';
import type { InsightSettings } from '@quartermaster/host/config';
import type { UseLearning } from '@quartermaster/host/search';
import {
  INSIGHT_COUNTS,
  type InsightCell,
  type InsightCounts,
  type InsightRecord,
  type InsightStore,
} from '@quartermaster/host/store';
import { countFound, type EventSink, type RequestRecord } from '../events/index.ts';
import { originOf } from '../http/index.ts';
import type { Logger } from '../logger.ts';
import { Series } from '../metrics/index.ts';
import { type ActivityLog, outcomesOf } from './activity-log.ts';
import type { Adaptation } from './adapt-upstreams.ts';

/** Counts what tool search did and saved by day, key, model, form and catalog: in the store if configured, else since the process started. */
export interface InsightMeter {
  add(record: RequestRecord): void;
  /** The counts of one key's requests, or of everyone's, for a number of days. */
  read(query: { readonly owner: string | undefined; readonly days: number }): Promise<readonly InsightCell[]>;
  /** When counting began. Undefined if the store decides. */
  readonly sinceMs: number | undefined;
  /** Stored records, the latest first. Empty if none are stored. */
  records(query: Parameters<InsightStore['records']>[0]): Promise<readonly RequestRecord[]>;
  record(id: string): Promise<RequestRecord | undefined>;
  flush(): Promise<void>;
  /** Deletes what is too old or too much. */
  sweep(): Promise<void>;
}

/** What a kill can lose: the counts of this many milliseconds, and of the moment that an event may wait to be counted. */
const FLUSH_MS = 4_000;

/** How many requests wait to be written, and the length of their records. An unavailable store must not fill the memory. */
const MOST_WAITING = 5_000;
const MOST_WAITING_CHARACTERS = 16 * 1024 * 1024;

const DAY_MS = 86_400_000;

export function createInsightMeter(options: {
  readonly store: InsightStore | undefined;
  readonly settings: InsightSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Has what was recorded so far added. */
  settle(): void;
}): InsightMeter {
  const { settings, clock, logger, settle } = options;
  const store = settings.keep === 'off' ? undefined : options.store;
  const keepsRecords = store !== undefined && settings.keep === 'queries';
  const startedAt = clock.now();
  let cells = noCells();
  let waiting: InsightRecord[] = [];
  let waitingCharacters = 0;
  let dropped = 0;
  let flushed: Promise<void> = Promise.resolve();
  let cancel: (() => void) | undefined;

  async function write(): Promise<void> {
    const [due, records] = [cells, waiting];
    cells = noCells();
    waiting = [];
    waitingCharacters = 0;
    if (due.all.length + records.length === 0) return;
    try {
      await store?.add({ cells: due.all, records });
    } catch (error) {
      for (const cell of due.all) {
        const { day, owner, model, form, catalog } = cell;
        addCounts(cells.at([day, owner, model, form, catalog]), cell);
      }
      const newer = waiting;
      waiting = [];
      waitingCharacters = 0;
      for (const record of [...records, ...newer]) keepWaiting(record);
      throw error;
    }
    if (dropped > 0) logger.log({ level: 'warn', event: 'work-fail', work: 'insight', lostRequests: dropped });
    dropped = 0;
  }

  function keepWaiting(record: InsightRecord): void {
    if (waiting.length >= MOST_WAITING || waitingCharacters + record.record.length > MOST_WAITING_CHARACTERS) {
      dropped += 1;
      return;
    }
    waiting.push(record);
    waitingCharacters += record.record.length;
  }

  /** One after the other, so that a later read includes all that was counted before. */
  function flush(): Promise<void> {
    settle();
    cancel?.();
    cancel = undefined;
    if (store !== undefined) flushed = flushed.then(write, write);
    return flushed;
  }

  function schedule(): void {
    cancel ??= clock.after(FLUSH_MS, () => {
      flush().catch((error: unknown) => {
        logger.log({ level: 'error', event: 'work-fail', work: 'insight', ...originOf(error) });
        schedule();
      });
    });
  }

  return {
    sinceMs: store === undefined ? startedAt : undefined,
    add(record) {
      addRecord(cells, record);
      if (store === undefined) return;
      if (keepsRecords && isKept(record)) keepWaiting(stored(record));
      schedule();
    },
    async read({ owner, days }) {
      const fromDay = dayOf(clock.now() - (days - 1) * DAY_MS);
      if (store !== undefined) {
        await flush();
        return store.cells({ owner, fromDay });
      }
      settle();
      return cells.all.filter((cell) => cell.day >= fromDay && (owner === undefined || cell.owner === owner));
    },
    async records(query) {
      if (!keepsRecords) return [];
      await flush();
      return (await store.records(query)).map(readStored);
    },
    async record(id) {
      if (!keepsRecords) return undefined;
      await flush();
      const found = await store.record(id);
      return found === undefined ? undefined : readStored(found);
    },
    flush,
    async sweep() {
      const { retentionDays, maxBytes } = settings;
      await store?.sweep({ fromMs: clock.now() - retentionDays * DAY_MS, maxBytes });
    },
  };
}

/** Requests without tool search say nothing that the counts don't. */
function isKept({ decision, searches, refused }: RequestRecord): boolean {
  return decision === 'defer' || searches.length + refused.length > 0;
}

function stored(record: RequestRecord): InsightRecord {
  const { id, owner, atMs } = record;
  return { id, owner, atMs, outcomes: outcomesOf(record), record: JSON.stringify(record) };
}

/** Records of earlier versions lack fields that were added since. */
function readStored({ record }: InsightRecord): RequestRecord {
  const read = JSON.parse(record) as RequestRecord;
  return {
    ...read,
    steps: read.steps ?? [],
    loaded: read.loaded.map((one) => ({ ...one, name: one.name ?? one.tool })),
    searches: read.searches.map((search) => ({ ...search, tools: search.tools ?? search.found })),
  };
}

/** Counts a request in place: nothing is allocated for a known cell. */
function addRecord(cells: Series<InsightCell>, record: RequestRecord): void {
  const { owner, atMs, model = '', form = '', catalogs, searches, reach, tokens } = record;
  const catalog = catalogs?.join(', ').slice(0, MOST_CHARACTERS) ?? '';
  const cell = cells.at([dayOf(atMs), owner, model.slice(0, MOST_CHARACTERS), form, catalog]);
  cell.requests += 1;
  if (reach !== undefined) cell[reach] += 1;
  cell.searches += searches.length;
  for (const { outcome } of searches) if (outcome === 'none') cell.foundNothing += 1;
  const { found, unused } = countFound(record);
  cell.found += found;
  cell.unused += unused;
  if (tokens !== undefined) {
    cell.deferred += 1;
    cell.keptOut += tokens.keptOut;
    cell.added += tokens.added;
  }
  cell.inputTokens += record.inputTokens;
  cell.outputTokens += record.outputTokens;
}

const MOST_CHARACTERS = 100;

/** Keys and catalogs are the gateway's own, models are named by clients: only those can be many. */
const MOST_CELLS = 20_000;
const OTHERS = 'others';

function noCells(): Series<InsightCell> {
  return new Series({
    most: MOST_CELLS,
    others: ([day = '', owner = '']) => [day, owner, OTHERS, '', ''],
    make: ([day = '', owner = '', model = '', form = '', catalog = '']) => ({
      ...{ ...NO_COUNTS, day, owner, model, form, catalog },
    }),
  });
}

export const NO_COUNTS: InsightCounts = Object.fromEntries(
  INSIGHT_COUNTS.map((count) => [count, 0]),
) as unknown as InsightCounts;

/** Adds counts in place. */
export function addCounts(into: InsightCounts, from: InsightCounts): void {
  for (const count of INSIGHT_COUNTS) into[count] += from[count];
}

/** A day in UTC, formatted once as long as it lasts. */
function dayOf(atMs: number): string {
  const day = Math.floor(atMs / DAY_MS);
  if (day !== latest.day) latest = { day, text: new Date(atMs).toISOString().slice(0, 10) };
  return latest.text;
}

let latest = { day: Number.NaN, text: '' };

/** What the activity log and the savings take from the stream of events. */
export function insightSink(log: ActivityLog, meter: InsightMeter): EventSink {
  return (event) => {
    if (event.kind === 'server-change' || event.kind === 'definition-change') log.notice(event);
    if (event.kind !== 'request-end' || event.record === undefined) return;
    log.add(event.record);
    meter.add(event.record);
  };
}

/** What the next requests depend on: `deferral: adaptive`, and what was learned from use. */
export function learningSink(adaptation: Adaptation | undefined, learning: UseLearning | undefined): EventSink {
  return (event) => {
    if (event.kind === 'server-call-end' && event.isConfigured && !event.isError) {
      learning?.called(event.owner, event.tool ?? '');
    }
    if (event.kind !== 'request-end' || event.record === undefined) return;
    adaptation?.note(event.record);
    // Calls that were made here have been reported with their outcome.
    const made = new Set(event.record.steps.map(({ tool }) => tool));
    for (const name of event.record.called) if (!made.has(name)) learning?.called(event.record.owner, name);
  };
}
