import type { EvaluationCase } from '@quartermaster/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

/** A labelled request with its kind. */
export interface Case extends EvaluationCase {
  readonly kind: string;
}

/** Labelled requests: those that ship with the sample catalog, and those saved in this browser. */
export function useCases(catalog: string): {
  readonly cases: readonly Case[];
  readonly save: (one: EvaluationCase) => void;
} {
  const [version, setVersion] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a save changes the browser's storage, which React can't see
  const saved = useMemo(() => readSaved(catalog), [catalog, version]);
  const sample = useQuery({
    queryKey: ['sample-cases'],
    queryFn: async () => (await import('./sample-cases.ts')).sampleCases(),
    enabled: catalog === 'sample',
    staleTime: Infinity,
  });
  const save = (one: EvaluationCase): void => {
    saveCase(catalog, one);
    setVersion((old) => old + 1);
  };
  return { cases: [...(catalog === 'sample' ? (sample.data ?? []) : []), ...saved], save };
}

/** Keeps a case in this browser, in place of an earlier one with the same query. */
export function saveCase(catalog: string, one: EvaluationCase): void {
  const next = [...readSaved(catalog).filter(({ query }) => query !== one.query), { ...one, kind: 'saved' }];
  localStorage.setItem(storageKey(catalog), JSON.stringify(next.slice(-MAX_SAVED)));
}

const MAX_SAVED = 500;

function storageKey(catalog: string): string {
  return `quartermaster-cases-${catalog}`;
}

function readSaved(catalog: string): readonly Case[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(catalog)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isCase) : [];
  } catch {
    return [];
  }
}

function isCase(value: unknown): value is Case {
  return (
    typeof value === 'object' && value !== null && 'query' in value && 'tools' in value && Array.isArray(value.tools)
  );
}
