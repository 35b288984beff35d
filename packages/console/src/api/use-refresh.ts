import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

/** Has the page ask again for what has changed, by the first part of its query key. */
export function useRefresh(): (...names: readonly string[]) => Promise<unknown> {
  const queries = useQueryClient();
  return useCallback(
    (...names) => Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] }))),
    [queries],
  );
}
