import type { RequestRecord } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { listActivity, MOST_RECORDS, type Outcome } from '../api/activity.ts';
import { gateway } from '../api/gateway.ts';
import { useLive } from '../shell/use-live.ts';

/** From here on new rows would push away what is being read. */
const SCROLLED_PX = 240;

interface Activity {
  readonly records: readonly RequestRecord[];
  readonly isLive: boolean;
  readonly error: Error | null;
  readonly isLoaded: boolean;
  /** What the settings store about requests. */
  readonly keep: 'off' | 'counts' | 'queries' | undefined;
  /** Requests that came while the reader was further down the list. */
  readonly waiting: number;
  showWaiting(): void;
}

/** The latest requests, and those that come while the screen is open. */
export function useActivity(view: Outcome | undefined, beforeMs: number | undefined, isPaused: boolean): Activity {
  const list = useQuery({
    queryKey: ['activity', view, beforeMs],
    queryFn: ({ signal }) => listActivity({ outcome: view, beforeMs }, signal),
    // A view is filtered by the gateway, so it is polled instead of filtered here a second time.
    refetchInterval: view === undefined || isPaused ? false : 5_000,
  });
  const [fresh, setFresh] = useState<readonly RequestRecord[]>([]);
  const [waiting, setWaiting] = useState(0);
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
      arrived.current.push(record);
      if (arrived.current.length > MOST_RECORDS) arrived.current.shift();
      if (frame.current === 0) frame.current = requestAnimationFrame(onFrame);
    },
    onGap: () => void list.refetch(),
  });
  const listed = list.data?.data ?? [];
  const known = new Set(listed.map(({ id }) => id));
  const added = view === undefined && beforeMs === undefined ? fresh.filter(({ id }) => !known.has(id)) : [];
  const records = [...added, ...listed].slice(0, MOST_RECORDS);
  return {
    ...{ records, isLive, error: list.error, isLoaded: list.data !== undefined, keep: list.data?.keep, showWaiting },
    waiting: view === undefined && beforeMs === undefined ? waiting : 0,
  };
}

/** The request that a link names, where it is not among the latest. */
export function useLinked(id: string | undefined, { records, isLoaded }: Activity) {
  const isListed = id === undefined || !isLoaded || records.some((record) => record.id === id);
  return useQuery({
    queryKey: ['activity', 'one', id],
    queryFn: ({ signal }) => gateway.request('GET /v1/activity/{id}', { path: { id: id ?? '' }, signal }),
    enabled: !isListed,
    retry: false,
    staleTime: Infinity,
  });
}
