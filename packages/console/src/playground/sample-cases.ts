import type { Case } from './cases.ts';

/** The lines of the sample catalog's labelled requests, put in by the build. */
declare const SAMPLE_QUERIES: string;

/** The labelled requests that have an answer in the sample catalog. */
export function sampleCases(): readonly Case[] {
  return SAMPLE_QUERIES.split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => JSON.parse(line))
    .flatMap(readCase);
}

function readCase(value: unknown): readonly Case[] {
  if (typeof value !== 'object' || value === null || !('query' in value && 'relevant' in value)) return [];
  const { query, relevant } = value;
  if (typeof query !== 'string' || !Array.isArray(relevant) || relevant.length === 0) return [];
  const kind = 'split' in value && typeof value.split === 'string' ? value.split : 'sample';
  return [{ query, tools: relevant.map(String), kind }];
}
