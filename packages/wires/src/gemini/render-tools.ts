import { isJsonObject, type JsonObject, writeTool } from '@quartermaster/core/catalog';
import type { DeferPlan, Own, Shown, View } from '@quartermaster/core/disclosure';
import { asShown } from '../internal/as-shown.ts';
import { modelName } from '../internal/client-names.ts';
import type { GeminiCallingConfig, GeminiRequest, GeminiToolConfig } from './gemini-shapes-2026-11.ts';
import { toolEntries } from './open.ts';

/**
 * The `tools` of a request with its declarations rebuilt: ours, what the plan shows, what the conversation has revealed, and
 * what the request insists on. They stand where the first declarations stood; built-in tools stay as they are.
 */
export function renderTools(request: GeminiRequest, view: View & { readonly plan: DeferPlan }): readonly JsonObject[] {
  const functionDeclarations = declare(request, view);
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
export function renderToolConfig(request: GeminiRequest, plan: DeferPlan): GeminiToolConfig | undefined {
  const { toolConfig } = request;
  const config = callingConfig(request);
  const names = allowedNames(config);
  const shown = names.map((name) => modelName(plan.snapshot, name));
  if (config === undefined || shown.every((name, index) => name === names[index])) return toolConfig;
  return { ...toolConfig, functionCallingConfig: { ...config, allowedFunctionNames: shown } };
}

/** A configuration that forced nothing but our tools has had its effect: the next round is free. */
export function relaxToolConfig(request: GeminiRequest, plan: DeferPlan): GeminiRequest {
  const config = callingConfig(request);
  const names = allowedNames(config);
  const isForced = names.length > 0 && names.every((name) => plan.own.some((own) => own.name === name));
  if (config === undefined || !isForced) return request;
  const { allowedFunctionNames: _, ...rest } = config;
  return { ...request, toolConfig: { ...request.toolConfig, functionCallingConfig: { ...rest, mode: 'AUTO' } } };
}

function declare(request: GeminiRequest, view: View & { readonly plan: DeferPlan }): readonly JsonObject[] {
  const { plan } = view;
  const fixed = fixedDeclarations(plan);
  const revealed = plan.form.reveal === 'append' ? view.revealed : [];
  const forced = forcedTools(request, plan).filter(({ name }) => !revealed.some((shown) => shown.name === name));
  if (forced.length === 0) return [...fixed, ...revealed.map(define)];
  // A forced stub is shown in full: the model can't search for its parameters first.
  const names = new Set<unknown>(forced.map(({ name }) => name));
  return [...fixed.filter(({ name }) => !names.has(name)), ...revealed.map(define), ...forced.map(define)];
}

const fixedByPlan = new WeakMap<DeferPlan, readonly JsonObject[]>();

/** Written once per plan: with thousands of tools this must not be work for every request. */
function fixedDeclarations(plan: DeferPlan): readonly JsonObject[] {
  let fixed = fixedByPlan.get(plan);
  if (fixed === undefined) {
    fixed = [...plan.own.map(defineOwn), ...plan.shown.map(define)];
    fixedByPlan.set(plan, fixed);
  }
  return fixed;
}

function defineOwn({ name, description, schema }: Own): JsonObject {
  return { name, description, parametersJsonSchema: schema };
}

function define(shown: Shown): JsonObject {
  return writeTool(asShown(shown), 'gemini', { name: shown.name });
}

/** A deferred tool that the model is told to call must be there, found or not: a name without a declaration is refused. */
function forcedTools(request: GeminiRequest, plan: DeferPlan): readonly Shown[] {
  return allowedNames(callingConfig(request)).flatMap((given): readonly Shown[] => {
    const name = modelName(plan.snapshot, given);
    const tool = plan.deferred.has(name) ? plan.snapshot.resolve(name) : undefined;
    if (tool === undefined) return [];
    return [{ tool, name, as: 'full', description: tool.description, schema: tool.schema }];
  });
}

function callingConfig(request: GeminiRequest): GeminiCallingConfig | undefined {
  const config = request.toolConfig?.functionCallingConfig;
  return isJsonObject(config) ? config : undefined;
}

function allowedNames(config: GeminiCallingConfig | undefined): readonly string[] {
  const names = config?.allowedFunctionNames;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
