import type { EvaluationCase } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useStoredCases } from '../api/labels.ts';

/** A labelled request with its kind. */
export interface Case extends EvaluationCase {
  readonly kind: string;
}

/** What the gateway evaluates in one request. */
const MOST_CASES = 1_000;

/** The kind of the cases that people have saved. */
export const SAVED = 'saved';

export interface Cases {
  readonly list: readonly Case[];
  /** Whether the list is whole: a count of a part of it would jump. */
  readonly isLoaded: boolean;
  /** Differs wherever the list does. */
  readonly version: string;
}

/** Labelled requests: those that ship with the sample catalog, and those that the gateway keeps. */
export function useCases(catalog: string): Cases {
  const { stored, isAnswered } = useStoredCases(catalog);
  const { data: sample } = useQuery({
    queryKey: ['sample-cases'],
    queryFn: async () => (await import('./sample-cases.ts')).sampleCases(),
    enabled: catalog === 'sample',
    staleTime: Infinity,
  });
  return useMemo(() => {
    const own = stored.map(({ query, tools }) => ({ query, tools, kind: SAVED }));
    const shipped = catalog === 'sample' ? (sample ?? []) : [];
    return {
      list: [...shipped, ...own].slice(-MOST_CASES),
      isLoaded: isAnswered && (catalog !== 'sample' || sample !== undefined),
      version: `${shipped.length} ${JSON.stringify(own)}`,
    };
  }, [catalog, stored, isAnswered, sample]);
}
