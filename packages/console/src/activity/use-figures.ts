import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

/** What is counted by the gateway, and changes with each request that ends. */
const FIGURES = [
  ['activity', 'counts'],
  ['savings', 1],
];

/** Answers come together: one question serves for all of them. */
const SOON_MS = 500;

/** How often at most. Every question counts against the limits of the page's key. */
const LEAST_MS = 5_000;

/** How often figures are fetched again: without a live stream that reports the end of requests, and with one. */
export function pollingMs(isLive: boolean): number {
  return isLive ? 60_000 : 10_000;
}

/** Asks for figures again after a request has ended. A page that nothing happens on asks for nothing. */
export function useFreshFigures(view: string | undefined): () => void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const asked = useRef(-LEAST_MS);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    if (timer.current !== undefined) return;
    const pause = Math.max(SOON_MS, asked.current + LEAST_MS - performance.now());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      asked.current = performance.now();
      for (const queryKey of FIGURES) void queries.invalidateQueries({ queryKey });
      // A view is filtered by the gateway, instead of here a second time.
      if (view !== undefined) void queries.invalidateQueries({ queryKey: ['activity', view] });
    }, pause);
  }, [queries, view]);
}
