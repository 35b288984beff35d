import type { Plan, Tool } from '@quartermaster/core';
import { type JsonObject, NAME_TEMPLATES, writeTool } from '@quartermaster/core/catalog';
import { readDefinitions } from '@quartermaster/core/dispatch';
import { type Planned, planRequest, type Wire } from '@quartermaster/core/loop';
import { requestToolboxes, type ToolSearchOptions } from '../internal/request-toolbox.ts';
import type { GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';
import { declarationsIn, toolEntries } from './open.ts';

export interface PreparerOptions {
  readonly wire: Wire<GeminiRequest, GeminiResponse>;
  readonly catalog: readonly object[];
  readonly search: ToolSearchOptions;
}

/** The longest function name that every version of the API takes. */
const MAX_NAME_LENGTH = 64;

/** Decides separately for each request, from what it declares and the catalog. */
export function requestPreparer(
  options: PreparerOptions,
): (request: GeminiRequest, model: string) => Planned<GeminiRequest, GeminiResponse> {
  const { wire, search } = options;
  const catalog = readDefinitions(options.catalog);
  const limits = {
    name: 'gemini',
    maxNameLength: MAX_NAME_LENGTH,
    nameTemplate: NAME_TEMPLATES.proxy,
    ownOptions: { catalog: true, showSearches: true, fetch: true },
  } as const;
  const toolboxes = requestToolboxes(search, limits);
  return (request, model) => {
    // The tools of a cached prefix can't be changed.
    if (request.cachedContent !== undefined) return { kind: 'pass', request };
    const opened = wire.open(request);
    const declared = opened.tools;
    // A tool of the catalog by the name of one that is declared is the client's own.
    const ids = new Set(declared.map((tool) => tool.id));
    const added = catalog.filter((tool) => !ids.has(tool.id));
    const toolbox = toolboxes.toolbox([...declared, ...added], JSON.stringify(declarationsIn(request)));
    return planRequest<GeminiRequest, GeminiResponse>({
      ...{ wire, request, opened, toolbox, ...toolboxes.settings(model) },
      whole: (plan) => (plan === undefined ? request : withDeclarations(request, plan, new Set(added))),
    });
  };
}

/** Catalog tools are in no request, so they must be declared when nothing is deferred: the model has no other way to reach them. */
function withDeclarations(request: GeminiRequest, plan: Plan, added: ReadonlySet<Tool>): GeminiRequest {
  const functionDeclarations = plan.shown
    .filter(({ tool }) => added.has(tool))
    .map(({ tool, name }): JsonObject => writeTool(tool, 'gemini', { name }));
  if (functionDeclarations.length === 0) return request;
  return { ...request, tools: [...toolEntries(request), { functionDeclarations }] };
}
