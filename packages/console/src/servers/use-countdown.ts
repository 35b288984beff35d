import type { Server } from '@quartermaster/client';
import { useEffect, useState } from 'react';
import { useRefresh } from '../api/use-refresh.ts';

const TICK_MS = 1_000;

/** Answers of the gateway are a moment old when they are there, and so is what it says after a retry. */
const REST_MS = 500;

/** What is left until the gateway tries to reach a server again. After that it is asked how that went. */
export function useCountdown(server: Server): number | undefined {
  const refresh = useRefresh();
  const [left, setLeft] = useState(server.retry_in_ms);
  useEffect(() => {
    const whole = server.retry_in_ms;
    setLeft(whole);
    if (whole === undefined) return undefined;
    const start = performance.now();
    const ticks = setInterval(() => setLeft(Math.max(0, whole - (performance.now() - start))), TICK_MS);
    const end = setTimeout(() => {
      clearInterval(ticks);
      void refresh('servers');
    }, whole + REST_MS);
    return () => {
      clearInterval(ticks);
      clearTimeout(end);
    };
    // Each answer is another object, also where its figures are the same.
  }, [server, refresh]);
  return left === 0 ? undefined : left;
}
