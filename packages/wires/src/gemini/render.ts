import { isJsonObject, type JsonObject, writeTool } from '@quartermaster/core/catalog';
import type { DeferPlan, Tell, View } from '@quartermaster/core/disclosure';
import { defined, ownNamed } from '@quartermaster/core/internal';
import { renderTurns, stripTurns } from '../internal/render-turns.ts';
import { modelName } from '../internal/shown-tools.ts';
import { toolDeclarer } from '../internal/tool-declarer.ts';
import {
  contentsOf,
  type GeminiCallingConfig,
  type GeminiContent,
  type GeminiRequest,
  type GeminiToolConfig,
  latestTextIndex,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { toolEntries } from './open.ts';
import { GEMINI_PARTS } from './search-parts.ts';

/** The plain request that is sent upstream. */
export function renderRequest(request: GeminiRequest, view: View, tell: Tell): GeminiRequest {
  const { plan, tail } = view;
  const given = contentsOf(request);
  if (plan.kind === 'inline') {
    const contents = stripTurns(given, GEMINI_PARTS);
    return contents === given ? request : { ...request, contents };
  }
  const toolConfig = renderToolConfig(request, plan);
  return {
    ...request,
    ...(plan.note === undefined ? {} : { systemInstruction: withText(request.systemInstruction ?? {}, plan.note) }),
    contents: withTail(renderTurns(given, { plan, tell }, GEMINI_PARTS), tail),
    tools: renderTools(request, { ...view, plan }),
    ...defined({ toolConfig }),
  };
}

function withTail(contents: readonly GeminiContent[], tail: string | undefined): readonly GeminiContent[] {
  if (tail === undefined) return contents;
  const latest = latestTextIndex(contents);
  return contents.map((content, index) => (index === latest ? withText(content, tail) : content));
}

/** As a separate part: no existing byte changes. */
function withText(content: GeminiContent, text: string): GeminiContent {
  return { ...content, parts: [...partsOf(content), { text }] };
}

/**
 * The `tools` of a request with new declarations: our tools, those that the plan shows, those that the conversation has revealed, and
 * those that the request forces. They replace the first declarations; built-in tools stay as they are.
 */
export function renderTools(request: GeminiRequest, view: View & { readonly plan: DeferPlan }): readonly JsonObject[] {
  const allowed = allowedNames(callingConfig(request)).map((name) => modelName(view.plan.snapshot, name));
  const functionDeclarations = declareTools(view, allowed);
  const entries = toolEntries(request);
  const first = entries.findIndex((entry) => Array.isArray(entry.functionDeclarations));
  if (first < 0) return [{ functionDeclarations }, ...entries];
  return entries.flatMap((entry, index) => {
    if (index === first) return [{ ...entry, functionDeclarations }];
    if (!Array.isArray(entry.functionDeclarations)) return [entry];
    const { functionDeclarations: _, ...rest } = entry;
    return Object.keys(rest).length === 0 ? [] : [rest];
  });
}

/** Names in the client's configuration as the model sees them. */
function renderToolConfig(request: GeminiRequest, plan: DeferPlan): GeminiToolConfig | undefined {
  const { toolConfig } = request;
  const config = callingConfig(request);
  const names = allowedNames(config);
  const shown = names.map((name) => modelName(plan.snapshot, name));
  if (config === undefined || shown.every((name, index) => name === names[index])) return toolConfig;
  return { ...toolConfig, functionCallingConfig: { ...config, allowedFunctionNames: shown } };
}

/** A configuration that forced only our tools has been fulfilled: the next round is free. */
export function relaxToolConfig(request: GeminiRequest, plan: DeferPlan): GeminiRequest {
  const config = callingConfig(request);
  const names = allowedNames(config);
  const isForced = names.length > 0 && names.every((name) => ownNamed(plan, name) !== undefined);
  if (config === undefined || !isForced) return request;
  const { allowedFunctionNames: _, ...rest } = config;
  return { ...request, toolConfig: { ...request.toolConfig, functionCallingConfig: { ...rest, mode: 'AUTO' } } };
}

const declareTools = toolDeclarer<JsonObject>({
  own: ({ name, description, schema }) => ({ name, description, parametersJsonSchema: schema }),
  shown: (shown) => writeTool(shown.tool, 'gemini', { name: shown.name, shown }),
  nameOf: ({ name }) => name,
});

function callingConfig(request: GeminiRequest): GeminiCallingConfig | undefined {
  const config = request.toolConfig?.functionCallingConfig;
  return isJsonObject(config) ? config : undefined;
}

function allowedNames(config: GeminiCallingConfig | undefined): readonly string[] {
  const names = config?.allowedFunctionNames;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
