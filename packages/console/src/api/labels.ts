import type { EvaluationCase, StoredCase } from '@quartermaster/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { gateway } from './gateway.ts';
import { useRefresh } from './use-refresh.ts';

const NONE: readonly StoredCase[] = [];

/** The labelled requests that the gateway keeps for a catalog. */
export function useStoredCases(catalog: string): {
  readonly stored: readonly StoredCase[];
  /** Whether the gateway has answered, be it with a refusal. */
  readonly isAnswered: boolean;
} {
  const { data, isFetched } = useQuery({
    queryKey: ['cases', catalog],
    queryFn: ({ signal }) => gateway.request('GET /v1/catalogs/{name}/cases', { path: { name: catalog }, signal }),
    enabled: catalog !== '',
    retry: false,
  });
  return { stored: data?.data ?? NONE, isAnswered: isFetched };
}

/** Keeps a labelled request on the gateway, in place of an earlier one with the same query. */
export function useSaveCase(catalog: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ query, tools }: EvaluationCase) =>
      gateway.request('POST /v1/catalogs/{name}/cases', { path: { name: catalog }, body: { query, tools } }),
    onSuccess: () => refresh('cases'),
  });
}

/** Adds words that a tool is found by, as a new version of its catalog. */
export function useAddHint(catalog: string) {
  const queries = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: { readonly tool: string; readonly hint: string }) =>
      gateway.request('POST /v1/catalogs/{name}/hints', { path: { name: catalog }, body }),
    onSuccess: () =>
      Promise.all([
        // Measurements run only on demand: the old ones go.
        queries.resetQueries({ queryKey: ['evaluate'] }),
        refresh('catalogs', 'tools', 'search', 'unanswered'),
      ]),
  });
}
