import { describe, expect, it } from 'vitest';
import { type ContractQueries, describeSearcher as describeWith, type SearcherSample } from '../testing/index.ts';

/** The suite for our own searchers. */
export function describeSearcher(name: string, create: SearcherSample['create'], queries: ContractQueries = {}): void {
  describeWith({ describe, it, expect }, { name, create, queries });
}
