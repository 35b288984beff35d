import type { SearchAnswer } from '@quartermaster/client';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type EngineName, gateway } from '../api/gateway.ts';
import type { Draft } from './draft.ts';
import type { PlaygroundState } from './playground-state.ts';
import { MISSES } from './result-rows.ts';

export const DEFAULT_LIMIT = 5;

const IS_LOCAL = /^(?:localhost|127\.|\[::1\])/.test(location.host);

/** Over a network a request for each key would only queue up. */
const TYPING_MS = IS_LOCAL ? 0 : 60;

/** What is typed, once the typing has paused for a moment. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (TYPING_MS === 0) {
      setSettled(value);
      return;
    }
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The catalog in the link, or else the only sensible one: the sample first, since it is there before anything else is. */
export function useCatalog(wanted: string | undefined): {
  readonly name: string | undefined;
  readonly names: readonly string[];
  /** Whether the names are known: none of them means something else before that. */
  readonly isLoaded: boolean;
  readonly error: Error | null;
  readonly toolCount: number | undefined;
  /** Whether its tools are those of configured MCP servers. */
  readonly isServed: boolean;
} {
  const { data, error } = useQuery({
    queryKey: ['catalogs'],
    queryFn: ({ signal }) => gateway.request('GET /v1/catalogs', { signal }),
  });
  const names = data?.data.map(({ name }) => name) ?? [];
  const fallback = names.includes('mcpServers') ? 'mcpServers' : names.includes('sample') ? 'sample' : names[0];
  const name = wanted ?? fallback;
  const head = data?.data.find((one) => one.name === name);
  // A link to a catalog that is not there says so, instead of showing the name of another one.
  const shown = name === undefined || names.includes(name) ? names : [...names, name];
  return {
    ...{ name, names: shown, isLoaded: data !== undefined, error },
    ...{ toolCount: head?.tool_count, isServed: head?.read_only === true },
  };
}

/** The engines other than the gateway's own that answer requests in words. */
export function useOtherEngines(): { readonly own: string; readonly others: readonly string[] } {
  const { data } = useQuery({
    queryKey: ['engines'],
    queryFn: ({ signal }) => gateway.request('GET /v1/search/engines', { signal }),
    staleTime: Infinity,
  });
  const own = data?.configured ?? 'hybrid';
  return { own, others: data?.data.map(({ id }) => id).filter((id) => id !== own && id !== 'regex') ?? [] };
}

/** The last answer about a catalog, shown while what is typed is not a pattern yet. */
export function useLastAnswer(catalog: string | undefined, answer: SearchAnswer | undefined): SearchAnswer | undefined {
  const last = useRef<{ readonly catalog: string | undefined; readonly answer: SearchAnswer }>(undefined);
  if (answer !== undefined) last.current = { catalog, answer };
  return last.current?.catalog === catalog ? last.current?.answer : undefined;
}

/** Results follow each key; those of the last query stay until the new ones are there. */
export function useSearch(
  state: Omit<PlaygroundState, 'catalog'> & {
    readonly catalog: string | undefined;
    readonly draft?: Draft | undefined;
  },
  compare: readonly string[],
): UseQueryResult<SearchAnswer> {
  const { q = '', catalog = '', limit = DEFAULT_LIMIT, why, draft, engine } = state;
  const drafts = draft === undefined ? {} : { [draft.tool]: draft.text };
  return useQuery({
    queryKey: ['search', catalog, q, limit, engine, compare, why, drafts],
    queryFn: ({ signal }) =>
      gateway.request('POST /v1/catalogs/{name}/search', {
        path: { name: catalog },
        body: {
          ...{ query: q, limit: limit + MISSES, compare: compare as readonly EngineName[], drafts },
          ...{ explain: true, schema: true },
          ...(engine === undefined ? {} : { engine }),
          ...(why === undefined ? {} : { why }),
        },
        signal,
      }),
    enabled: q.trim() !== '' && catalog !== '',
    placeholderData: keepPreviousData,
  });
}
