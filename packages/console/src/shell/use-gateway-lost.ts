import { ApiFailure } from '@quartermaster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { gateway } from '../api/gateway.ts';

/** How long the page waits before it tries again. */
const RETRY_SECONDS = 3;

/** Whether no request reaches the gateway, and in how many seconds the page tries again. */
export interface LostGateway {
  readonly seconds: number | undefined;
  readonly retry: () => void;
}

/** Any query that can't reach the gateway means that it is gone; the first answer means that it is back. */
export function useGatewayLost(): LostGateway {
  const queries = useQueryClient();
  const [seconds, setSeconds] = useState<number>();
  const isLost = seconds !== undefined;
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query }) => {
        const { fetchFailureReason: reason, error } = query.state;
        if (isAway(reason) || isAway(error)) setSeconds((old) => old ?? RETRY_SECONDS);
      }),
    [queries],
  );
  const retry = (): void => {
    const tried = gateway.request('GET /v1/catalogs').catch((error: unknown) => error);
    void tried.then((result) => {
      if (isAway(result)) return setSeconds(RETRY_SECONDS);
      setSeconds(undefined);
      void queries.invalidateQueries();
    });
  };
  useEffect(() => {
    if (!isLost) return undefined;
    if (seconds === 0) return retry();
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000);
    return () => clearTimeout(timer);
  });
  return { seconds, retry };
}

function isAway(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 0;
}
