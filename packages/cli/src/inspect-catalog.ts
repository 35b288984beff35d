import { createToolbox, type Searcher, type Snapshot } from '@quartermaster/core';
import { FORMS, type FormName } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS, decideGate, snapshotTokens } from '@quartermaster/core/gate';
import { SEARCH_LIMITS } from '@quartermaster/core/search';

/** What a catalog costs of a model's context, and what deferral would save. Tokens are estimated: characters / 4. */
export interface CatalogCosts {
  readonly contextTokens: number;
  readonly tools: number;
  readonly tokens: number;
  /** The most expensive first. */
  readonly servers: readonly { readonly server: string | undefined; readonly tools: number; readonly tokens: number }[];
  /** The most expensive first. */
  readonly byTool: readonly { readonly id: string; readonly tokens: number }[];
  /** Whether the default gate would defer, and why. */
  readonly gate: { readonly kind: 'inline' | 'defer'; readonly reason: string };
  /** What is sent before the first message, by form. */
  readonly deferred: readonly { readonly form: FormName; readonly tokens: number }[];
  /** How many tools a default answer has. */
  readonly answerTools: number;
  /** The tokens of their definitions, at this catalog's mean. */
  readonly answerTokens: number;
}

export interface InspectOptions {
  readonly contextTokens: number;
  readonly searcher: Searcher;
}

export function inspectCatalog(snapshot: Snapshot, { contextTokens, searcher }: InspectOptions): CatalogCosts {
  const { total, byTool } = snapshotTokens(snapshot);
  const servers = new Map<string | undefined, { tools: number; tokens: number }>();
  for (const [tool, tokens] of byTool) {
    const sum = servers.get(tool.server) ?? { tools: 0, tokens: 0 };
    servers.set(tool.server, { tools: sum.tools + 1, tokens: sum.tokens + tokens });
  }
  const limits = { contextTokens, source: 'override' } as const;
  const { kind, reason } = decideGate({ snapshot, settings: DEFAULT_GATE_SETTINGS, limits });
  const toolbox = createToolbox({
    tools: snapshot,
    searcher,
    settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } },
  });
  const answerTools = Math.min(SEARCH_LIMITS.default, snapshot.tools.length);
  return {
    contextTokens,
    tools: snapshot.tools.length,
    tokens: total,
    servers: [...servers].map(([server, sum]) => ({ server, ...sum })).sort((a, b) => b.tokens - a.tokens),
    byTool: [...byTool].map(([tool, tokens]) => ({ id: tool.id, tokens })).sort((a, b) => b.tokens - a.tokens),
    gate: { kind, reason },
    deferred: COMPARED_FORMS.map((form) => ({
      form,
      tokens: toolbox.plan(limits, { form: FORMS[form] }).tokens.after,
    })),
    answerTools,
    answerTokens: Math.round((total / Math.max(1, snapshot.tools.length)) * answerTools),
  };
}

/** The forms in which we search. What a provider's own search costs is up to the provider. */
const COMPARED_FORMS: readonly FormName[] = ['bridge', 'native', 'stub'];
