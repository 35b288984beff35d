import { ApiFailure, type RequestRecord, type RunningRequests, type ServerNotice } from '@quartermaster/client';
import { useEffect, useRef, useState } from 'react';
import { gateway, KEY_CHANGED } from '../api/gateway.ts';

interface LiveHandlers {
  readonly isPaused?: boolean;
  readonly onRecord?: (record: RequestRecord) => void;
  readonly onRunning?: (running: RunningRequests) => void;
  readonly onServer?: (notice: ServerNotice) => void;
  /** Something may have been missed: at first, after a pause, and for a page that reads too slowly. */
  readonly onGap?: () => void;
}

const RETRY_MS = 3_000;

/** A key that may not follow, or that follows in too many tabs, is not asked for again at once. */
const REFUSED_RETRY_MS = 30_000;

/**
 * Follows the gateway's live events; says whether it does now. A hidden tab lets go of its connection: a browser has six of them for
 * all of its tabs.
 */
export function useLive({ isPaused = false, ...handlers }: LiveHandlers): boolean {
  const [isLive, setLive] = useState(false);
  const latest = useRef<Omit<LiveHandlers, 'isPaused'>>(handlers);
  latest.current = handlers;
  useEffect(() => {
    if (isPaused) return;
    let stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async ({ signal }: AbortController): Promise<void> => {
      let waitMs = RETRY_MS;
      try {
        const records = gateway.follow({
          signal,
          onOpen() {
            setLive(true);
            latest.current.onGap?.();
          },
          onMissed: () => latest.current.onGap?.(),
          onRunning: (running) => latest.current.onRunning?.(running),
          onServer: (notice) => latest.current.onServer?.(notice),
        });
        for await (const record of records) latest.current.onRecord?.(record);
      } catch (error) {
        if (error instanceof ApiFailure && error.status >= 400 && error.status < 500) waitMs = REFUSED_RETRY_MS;
      }
      if (signal.aborted) return;
      setLive(false);
      timer = setTimeout(() => void follow(stop), waitMs);
    };
    const end = (): void => {
      stop.abort();
      clearTimeout(timer);
      setLive(false);
    };
    const begin = (): void => {
      end();
      if (document.hidden) return;
      stop = new AbortController();
      void follow(stop);
    };
    document.addEventListener('visibilitychange', begin);
    addEventListener(KEY_CHANGED, begin);
    begin();
    return () => {
      document.removeEventListener('visibilitychange', begin);
      removeEventListener(KEY_CHANGED, begin);
      end();
    };
  }, [isPaused]);
  return isLive;
}
