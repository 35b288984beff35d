import type { Evaluation, EvaluationCase, SearchAnswer } from '@quartermaster/client';
import { gateway } from './gateway.ts';

/** An engine that a search can name. */
type EngineName = NonNullable<Parameters<typeof gateway.request<'POST /v1/search'>>[1]['body']['engine']>;

export type Drafts = Readonly<Record<string, string>>;

export function searchCatalog(
  catalog: string,
  body: {
    readonly query: string;
    readonly limit: number;
    readonly engine?: EngineName;
    readonly compare: readonly string[];
    readonly why?: string;
    readonly drafts: Drafts;
  },
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const compare = body.compare as readonly EngineName[];
  return gateway.request('POST /v1/catalogs/{name}/search', {
    path: { name: catalog },
    body: { ...body, compare, explain: true, schema: true },
    signal,
  });
}

export function evaluateCatalog(
  catalog: string,
  body: { readonly cases: readonly EvaluationCase[]; readonly drafts: Drafts; readonly engine?: string },
  signal: AbortSignal,
): Promise<Evaluation> {
  const { engine, ...rest } = body;
  return gateway.request('POST /v1/catalogs/{name}/evaluate', {
    path: { name: catalog },
    body: { ...rest, ...(engine === undefined ? {} : { engine: engine as EngineName }) },
    signal,
  });
}
