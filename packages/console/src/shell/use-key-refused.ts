import { ApiFailure } from '@quartermaster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { gateway } from '../api/gateway.ts';

/** What every key may ask for: its answer tells whether the page's key is accepted. */
export const CATALOGS: readonly string[] = ['catalogs'];

/** Whether the gateway asks for a key: at first, or because the one that was good so far has expired or was revoked. */
export function useKeyRefused(): 'never-had-one' | 'no-longer' | undefined {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: CATALOGS,
    queryFn: ({ signal }) => gateway.request('GET /v1/catalogs', { signal }),
  });
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error' || !isRefusal(event.action.error)) return;
        // One question settles it for the whole page; until it is answered with yes, no other is asked.
        if (isRefusal(queries.getQueryState(CATALOGS)?.error)) return;
        void queries.invalidateQueries({ queryKey: CATALOGS });
      }),
    [queries],
  );
  if (!isRefusal(error)) return undefined;
  return data === undefined ? 'never-had-one' : 'no-longer';
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 401;
}
