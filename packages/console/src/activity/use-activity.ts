import type { RequestRecord } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followActivity, listActivity, type Outcome } from '../api/activity.ts';

/** How many requests the screen holds. */
const MOST_RECORDS = 500;

/** The latest requests, and those that come while the screen is open. */
export function useActivity(
  view: Outcome | undefined,
  isPaused: boolean,
): { readonly records: readonly RequestRecord[]; readonly isLive: boolean; readonly error: Error | null } {
  const list = useQuery({ queryKey: ['activity', view], queryFn: ({ signal }) => listActivity(view, signal) });
  const [fresh, setFresh] = useState<readonly RequestRecord[]>([]);
  const [isLive, setLive] = useState(false);
  const { refetch } = list;
  useEffect(() => {
    if (isPaused) return;
    // A view is a filter of the gateway's: it is asked again instead of filtered here a second time.
    if (view !== undefined) {
      setLive(true);
      const timer = setInterval(() => void refetch(), 5_000);
      return () => clearInterval(timer);
    }
    const stop = new AbortController();
    const waiting: RequestRecord[] = [];
    let frame = 0;
    // Once a frame, however many requests a busy gateway answers.
    const show = (): void => {
      frame = 0;
      const batch = waiting.splice(0).reverse();
      setFresh((old) => [...batch, ...old].slice(0, MOST_RECORDS));
    };
    setLive(true);
    followActivity((record) => {
      waiting.push(record);
      if (frame === 0) frame = requestAnimationFrame(show);
    }, stop.signal).catch(() => setLive(false));
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, [view, isPaused, refetch]);
  const listed = list.data?.data ?? [];
  const known = new Set(listed.map(({ id }) => id));
  const added = view === undefined ? fresh.filter(({ id }) => !known.has(id)) : [];
  return { records: [...added, ...listed].slice(0, MOST_RECORDS), isLive, error: list.error };
}
