import { writeTool } from '@quartermaster/core/catalog';
import type { DeferPlan, Own, Shown, View } from '@quartermaster/core/disclosure';
import { asShown } from '../internal/as-shown.ts';
import { modelName } from '../internal/client-names.ts';
import type { ModelRequest } from './language-model-v4-shapes-2026-11.ts';

type ModelTool = NonNullable<ModelRequest['tools']>[number];

/** Ours, what the plan shows, what the conversation has revealed, and the tool that the request insists on. */
export function renderTools(request: ModelRequest, view: View & { readonly plan: DeferPlan }): ModelTool[] {
  const { plan } = view;
  const fixed = fixedTools(plan);
  const revealed = plan.form.reveal === 'append' ? view.revealed : [];
  const forced = forcedTool(request, plan);
  if (forced === undefined || revealed.some(({ name }) => name === forced.name))
    return [...fixed, ...revealed.map(define)];
  // A forced stub is shown in full: the model can't search for its parameters first.
  return [...fixed.filter(({ name }) => name !== forced.name), ...revealed.map(define), define(forced)];
}

/** A choice under the name that the model knows. */
export function renderToolChoice(request: ModelRequest, plan: DeferPlan): ModelRequest['toolChoice'] {
  const { toolChoice } = request;
  if (toolChoice?.type !== 'tool') return toolChoice;
  const toolName = modelName(plan.snapshot, toolChoice.toolName);
  return toolName === toolChoice.toolName ? toolChoice : { ...toolChoice, toolName };
}

/** A choice that forced the search has had its effect: the next round is free. */
export function relaxToolChoice(request: ModelRequest, plan: DeferPlan): ModelRequest {
  const { toolChoice } = request;
  if (toolChoice?.type !== 'tool' || !plan.own.some(({ name }) => name === toolChoice.toolName)) return request;
  return { ...request, toolChoice: { type: 'auto' } };
}

const fixedByPlan = new WeakMap<DeferPlan, readonly ModelTool[]>();

/** Written once per plan: with thousands of tools this must not be work for every request. */
function fixedTools(plan: DeferPlan): readonly ModelTool[] {
  let fixed = fixedByPlan.get(plan);
  if (fixed === undefined) {
    fixed = [...plan.own.map(defineOwn), ...plan.shown.map(define)];
    fixedByPlan.set(plan, fixed);
  }
  return fixed;
}

function defineOwn({ name, description, schema }: Own): ModelTool {
  return { type: 'function', name, description, inputSchema: schema as object };
}

/** Without a provider's own mark of deferral, which would be refused where no search of the provider's is declared. */
function define(shown: Shown): ModelTool {
  const { tool, name, as } = shown;
  const isProvided = tool.extras.providerType !== undefined;
  const options = isProvided ? {} : { name, deferred: false };
  const written = writeTool(asShown(shown), 'ai-sdk', options) as unknown as ModelTool;
  if (as !== 'stub' || written.type !== 'function') return written;
  // What speaks of parameters that are not shown goes with them.
  const { strict: _, inputExamples: __, ...rest } = written;
  return rest;
}

/** A deferred tool that the model is told to call must be there, found or not. */
function forcedTool(request: ModelRequest, plan: DeferPlan): Shown | undefined {
  const { toolChoice } = request;
  const name = toolChoice?.type === 'tool' ? modelName(plan.snapshot, toolChoice.toolName) : undefined;
  const tool = name !== undefined && plan.deferred.has(name) ? plan.snapshot.resolve(name) : undefined;
  if (name === undefined || tool === undefined) return undefined;
  return { tool, name, as: 'full', description: tool.description, schema: tool.schema };
}
