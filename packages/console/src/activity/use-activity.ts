import type { RequestRecord, RunningRequests } from '@quartermaster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { MOST_RECORDS, type Outcome } from '../api/activity.ts';
import { gateway } from '../api/gateway.ts';
import { useLive } from '../shell/use-live.ts';
import { pollingMs, useFreshFigures } from './use-figures.ts';

/** From here on new rows would push away what is being read. */
const SCROLLED_PX = 240;

interface Activity {
  readonly records: readonly RequestRecord[];
  readonly running: Running;
  readonly isLive: boolean;
  readonly error: Error | null;
  readonly isLoaded: boolean;
  /** What the settings store about requests. */
  readonly keep: 'off' | 'counts' | 'queries' | undefined;
  /** Requests that came while the reader was further down the list. */
  readonly waiting: number;
  showWaiting(): void;
}

/** Requests in progress, and how far the gateway's clock is ahead of the page's. */
export interface Running extends Pick<RunningRequests, 'total' | 'data'> {
  readonly aheadMs: number;
}

const NOTHING_RUNS: Running = { total: 0, data: [], aheadMs: 0 };

/** The latest requests, and those that come while the screen is open. */
export function useActivity(view: Outcome | undefined, beforeMs: number | undefined, isPaused: boolean): Activity {
  const queries = useQueryClient();
  const refresh = useFreshFigures(view);
  const [fresh, setFresh] = useState<readonly RequestRecord[]>([]);
  const [waiting, setWaiting] = useState(0);
  const [running, setRunning] = useState(NOTHING_RUNS);
  const arrived = useRef<RequestRecord[]>([]);
  const frame = useRef(0);
  const showWaiting = (): void => {
    frame.current = 0;
    const batch = arrived.current.splice(0).reverse();
    setWaiting(0);
    setFresh((old) => [...batch, ...old].slice(0, MOST_RECORDS));
  };
  // Once a frame, however many requests a busy gateway answers.
  const onFrame = (): void => {
    frame.current = 0;
    if (scrollY > SCROLLED_PX) setWaiting(arrived.current.length);
    else showWaiting();
  };
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  const isLive = useLive({
    isPaused,
    onRecord(record) {
      refresh();
      arrived.current.push(record);
      if (arrived.current.length > MOST_RECORDS) arrived.current.shift();
      if (frame.current === 0) frame.current = requestAnimationFrame(onFrame);
    },
    onRunning: ({ nowMs, ...all }) => setRunning({ ...all, aheadMs: nowMs - Date.now() }),
    onGap() {
      refresh();
      void queries.invalidateQueries({ queryKey: ['activity', view] });
    },
  });
  const list = useQuery({
    queryKey: ['activity', view, beforeMs],
    queryFn: ({ signal }) => {
      const asked = {
        ...(view === undefined ? {} : { outcome: view }),
        ...(beforeMs === undefined ? {} : { before: beforeMs }),
      };
      return gateway.request('GET /v1/activity', { query: { limit: MOST_RECORDS, ...asked }, signal });
    },
    refetchInterval: view === undefined || isPaused || isLive ? false : pollingMs(isLive),
  });
  // Each stream begins with what is running.
  useEffect(() => {
    if (!isLive) setRunning(NOTHING_RUNS);
  }, [isLive]);
  const listed = list.data?.data ?? [];
  const known = new Set(listed.map(({ id }) => id));
  const isLatest = view === undefined && beforeMs === undefined;
  const added = isLatest ? fresh.filter(({ id }) => !known.has(id)) : [];
  const records = [...added, ...listed].slice(0, MOST_RECORDS);
  return {
    ...{ records, isLive, error: list.error, isLoaded: list.data !== undefined, keep: list.data?.keep, showWaiting },
    running: isLatest ? withoutEnded(running, [...arrived.current, ...records]) : NOTHING_RUNS,
    waiting: isLatest ? waiting : 0,
  };
}

/** The end of a request is reported before the list of those that are running. */
function withoutEnded(running: Running, records: readonly RequestRecord[]): Running {
  if (running.total === 0) return running;
  const ended = new Set(records.map(({ id }) => id));
  const data = running.data.filter(({ id }) => !ended.has(id));
  return { ...running, data, total: running.total - (running.data.length - data.length) };
}

/** The request that a link names, where it is not among the latest. */
export function useLinked(id: string | undefined, { records, running, isLoaded }: Activity) {
  const isRunning = running.data.some((one) => one.id === id);
  const isListed = id === undefined || !isLoaded || isRunning || records.some((record) => record.id === id);
  return useQuery({
    queryKey: ['activity', 'one', id],
    queryFn: ({ signal }) => gateway.request('GET /v1/activity/{id}', { path: { id: id ?? '' }, signal }),
    enabled: !isListed,
    retry: false,
    staleTime: Infinity,
  });
}
