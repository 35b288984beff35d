import { request } from './request.ts';

export interface Explanation {
  readonly value: number;
  readonly what: string;
  readonly details: readonly Explanation[];
}

/** A tool as the engines other than the first one rank it. */
export interface RankedTool {
  readonly tool: string;
  readonly server?: string;
  readonly name: string;
  readonly description: string;
  readonly score: number;
}

export interface Hit extends RankedTool {
  readonly model_name: string;
  readonly tokens: number;
  readonly explanation?: Explanation;
  readonly also?: readonly string[];
  readonly input_schema?: unknown;
}

export interface SearchAnswer {
  readonly engine: string;
  readonly took_ms: number;
  readonly catalog: { readonly tool_count: number; readonly tokens: number };
  readonly results: readonly {
    readonly verdict: 'match' | 'no_match';
    readonly confidence?: number;
    readonly unresolved?: readonly string[];
    readonly hits: readonly Hit[];
  }[];
  readonly why?: Standing;
  readonly compared?: Readonly<Record<string, readonly RankedTool[]>>;
}

export interface Standing {
  readonly tool: string;
  readonly standing: 'listed' | 'below-limit' | 'not-matched' | 'not-allowed' | 'not-in-catalog';
  readonly rank?: number;
  readonly reason?: string;
  readonly explanation?: Explanation;
}

export interface Evaluation {
  readonly hit_at: Readonly<Record<'1' | '3' | '5', number>>;
  readonly cases: readonly {
    readonly query: string;
    readonly tools: readonly string[];
    readonly rank: number | null;
  }[];
}

export interface EvaluationCase {
  readonly query: string;
  readonly tools: readonly string[];
}

export interface CatalogHead {
  readonly name: string;
  readonly tool_count: number;
  readonly updated_at?: string;
  readonly read_only?: boolean;
  readonly error?: string;
}

export interface Engines {
  readonly configured: string;
  readonly data: readonly { readonly id: string }[];
}

export type Drafts = Readonly<Record<string, string>>;

export function searchCatalog(
  catalog: string,
  body: {
    readonly query: string;
    readonly limit: number;
    readonly compare: readonly string[];
    readonly why?: string;
    readonly drafts: Drafts;
  },
  signal: AbortSignal,
): Promise<SearchAnswer> {
  return request(`/v1/catalogs/${encodeURIComponent(catalog)}/search`, {
    body: { ...body, explain: true, schema: true },
    signal,
  });
}

export function evaluateCatalog(
  catalog: string,
  body: { readonly cases: readonly EvaluationCase[]; readonly drafts: Drafts; readonly engine?: string },
  signal: AbortSignal,
): Promise<Evaluation> {
  return request(`/v1/catalogs/${encodeURIComponent(catalog)}/evaluate`, { body, signal });
}

export function listCatalogs(signal: AbortSignal): Promise<{ readonly data: readonly CatalogHead[] }> {
  return request('/v1/catalogs', { signal });
}

export function listEngines(signal: AbortSignal): Promise<Engines> {
  return request('/v1/search/engines', { signal });
}

export interface ToolDefinition {
  readonly name: string;
  readonly server?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

export function readCatalog(
  name: string,
  signal: AbortSignal,
): Promise<CatalogHead & { readonly tools: readonly ToolDefinition[] }> {
  return request(`/v1/catalogs/${encodeURIComponent(name)}`, { signal });
}
