import type { Clock } from '@quartermaster/core/internal';
import type { GatewayEvent, RequestRecord, RunningRequest, RunningRequests } from './gateway-event.ts';
import { OpenRequests } from './open-requests.ts';
import { add, isWorthShowing, OpenRequest, type RequestEnd, type RequestStart, recordOf } from './request-record.ts';

/** The stream of events, and what is known about each request in progress. */
export interface Activity {
  emit(event: GatewayEvent): void;
  /** Collects, counts and lists everything that was emitted so far. */
  settle(): void;
  /** From now on the events of this request are collected, and it is listed as running. */
  begin(request: RequestStart): void;
  /** The requests in progress, of one key or of all. */
  running(owner: string | undefined): RunningRequests;
  /** The request produced nothing. */
  drop(requestId: string): void;
  /**
   * Emits the end of a request, with its record if it was begun and has something to show. `onRecord` is called with the record at the
   * latest when everything is settled.
   */
  end(request: RequestEnd, onRecord?: (record: RequestRecord | undefined) => void): void;
}

/** Reads events. Must not throw. */
export type EventSink = (event: GatewayEvent) => void;

/** Events that are only passed on at once and put into the record of their request. No sink counts them. */
const UNCOUNTED = [
  'model-round-start',
  'tool-search-start',
  'tool-load',
  'tool-call-start',
  'tool-call-end',
  'tool-call-refuse',
] as const;

/** What sinks count. */
type CountedEvent = Exclude<GatewayEvent, { readonly kind: (typeof UNCOUNTED)[number] }>;

const uncounted: ReadonlySet<string> = new Set(UNCOUNTED);

function isCounted(event: GatewayEvent): event is CountedEvent {
  return !uncounted.has(event.kind);
}

export interface ActivityOptions {
  /** What reads each event at once: traces, the debug log, what later requests depend on. @default none */
  readonly prompt?: readonly EventSink[];
  /** Counters and lists. Call `settle` before you show what they know. @default none */
  readonly counting?: readonly ((event: CountedEvent) => void)[];
  /** What is listed. While someone follows it, no event waits. @default none */
  readonly list?: { readonly isFollowed: boolean };
  readonly clock: Clock;
}

/** What waits for its page to be read: an event, or what else happened to a request. */
type Entry =
  | GatewayEvent
  | { readonly kind: 'begin'; readonly start: RequestStart }
  | { readonly kind: 'drop'; readonly requestId: string }
  | {
      readonly kind: 'end';
      readonly request: RequestEnd;
      readonly onRecord: ((record: RequestRecord | undefined) => void) | undefined;
    };

/** How many entries are read together: those of some fifty requests. */
const PAGE_ENTRIES = 256;

/** How many milliseconds an entry waits for others at most. By then its request's log line is written too. */
const SETTLE_MS = 50;

/**
 * A request only notes what happens. All else, from collecting the events of a request to counting them, is done by the page: its code
 * and its counts then stay in the processor's caches, which each request would find cold.
 */
export function createActivity(options: ActivityOptions): Activity {
  const { prompt = [], counting = [], list, clock } = options;
  const { now } = clock;
  const open = new OpenRequests<OpenRequest>();
  let page: Entry[] = [];
  let times: number[] = [];
  let isScheduled = false;

  function note(entry: Entry): void {
    page.push(entry);
    times.push(now());
    if (page.length >= PAGE_ENTRIES || list?.isFollowed === true) settle();
    else if (!isScheduled) schedule();
  }

  function schedule(): void {
    isScheduled = true;
    clock.after(SETTLE_MS, () => {
      isScheduled = false;
      settle();
    });
  }

  function settle(): void {
    const [entries, notedAt] = [page, times];
    page = [];
    times = [];
    const counted: CountedEvent[] = [];
    for (let at = 0; at < entries.length; at += 1) {
      const entry = entries[at];
      const event = entry === undefined ? undefined : collect(entry, notedAt[at] ?? 0);
      if (event !== undefined && isCounted(event)) counted.push(event);
    }
    for (const sink of counting) for (const event of counted) sink(event);
  }

  /** Puts an entry into its request. Returns the event that it is. */
  function collect(entry: Entry, notedAtMs: number): GatewayEvent | undefined {
    switch (entry.kind) {
      case 'begin':
        open.add(new OpenRequest(entry.start));
        return undefined;
      case 'drop':
        open.take(entry.requestId);
        return undefined;
      case 'end': {
        const { request, onRecord } = entry;
        const { id: requestId, route, status, durationMs, owner, used } = request;
        const seen = open.take(requestId);
        const record = seen === undefined || !isWorthShowing(request, seen) ? undefined : recordOf(request, seen);
        const event: GatewayEvent = { kind: 'request-end', requestId, route, status, durationMs, owner, used, record };
        for (const sink of prompt) sink(event);
        onRecord?.(record);
        return event;
      }
      default: {
        const requestId = 'requestId' in entry ? entry.requestId : undefined;
        const request = requestId === undefined ? undefined : open.get(requestId);
        if (request !== undefined) add(request, entry, notedAtMs);
        return entry;
      }
    }
  }

  return {
    emit(event) {
      for (const sink of prompt) sink(event);
      note(event);
    },
    settle,
    begin({ requestId, atMs, access, facts }) {
      // Not the request itself, which would live as long as its page.
      note({ kind: 'begin', start: { requestId, atMs, access, facts } });
    },
    running(owner) {
      settle();
      const listed: OpenRequest[] = [];
      for (const request of open) {
        if (owner !== undefined && request.start.access.owner !== owner) continue;
        if (isWorthListing(request)) listed.push(request);
      }
      listed.sort((left, right) => left.start.atMs - right.start.atMs);
      return { nowMs: now(), total: listed.length, data: listed.slice(0, MOST_RUNNING).map(runningOf) };
    },
    drop: (requestId) => note({ kind: 'drop', requestId }),
    end(request, onRecord) {
      note({ kind: 'end', request, onRecord });
      // Sinks that get events at once also get the end at once.
      if (prompt.length > 0) settle();
    },
  };
}

/** With events switched off: nothing is collected. */
export const NO_ACTIVITY: Activity = {
  emit: () => undefined,
  settle: () => undefined,
  begin: () => undefined,
  running: () => ({ nowMs: 0, total: 0, data: [] }),
  drop: () => undefined,
  end: (_, onRecord) => onRecord?.(undefined),
};

/** An MCP request is listed once it searches or calls something. */
function isWorthListing({ start, doing, searches, steps }: OpenRequest): boolean {
  return start.facts.route !== 'mcp' || doing !== 'waiting' || searches.length + steps.length > 0;
}

function runningOf({ start, doing, roundAtMs, plan, rounds, searches, catalogs }: OpenRequest): RunningRequest {
  const { access, facts } = start;
  const isStreaming = facts.sentAtMs !== undefined && facts.sentAtMs > roundAtMs;
  return {
    id: start.requestId,
    atMs: start.atMs,
    state: doing === 'waiting' && isStreaming ? 'streaming' : doing,
    route: facts.route,
    owner: access.owner,
    key: access.name,
    model: facts.model,
    upstream: facts.upstream,
    catalogs: catalogs.length === 0 ? undefined : catalogs,
    decision: plan?.decision,
    form: plan?.form,
    rounds,
    searches: searches.length,
    query: searches.at(-1)?.queries?.[0]?.slice(0, MOST_QUERY_CHARACTERS),
  };
}

/** How many requests in progress are listed, the longest-running first. */
const MOST_RUNNING = 100;
const MOST_QUERY_CHARACTERS = 200;
