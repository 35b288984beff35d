import { writeTool } from '@quartermaster/core/catalog';
import type { DeferPlan, Shown, Tell, View } from '@quartermaster/core/disclosure';
import { defined, ownNamed } from '@quartermaster/core/internal';
import { renderTurns, stripTurns } from '../internal/render-turns.ts';
import { modelName } from '../internal/shown-tools.ts';
import { toolDeclarer } from '../internal/tool-declarer.ts';
import { latestTextIndex, type ModelMessage, type ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import { MODEL_PARTS } from './search-parts.ts';

/** The plain request for the model. */
export function renderRequest(request: ModelRequest, view: View, tell: Tell): ModelRequest {
  const { plan, tail } = view;
  if (plan.kind === 'inline') return stripRequest(request);
  const toolChoice = renderToolChoice(request, plan);
  return {
    ...request,
    prompt: withNote(withTail(renderTurns(request.prompt, { plan, tell }, MODEL_PARTS), tail), plan.note),
    tools: declareTools({ ...view, plan }, toolChoice?.type === 'tool' ? [toolChoice.toolName] : []),
    ...defined({ toolChoice }),
  };
}

/** A request without our parts, for a model that is called without tool search. The same request if there are none. */
export function stripRequest(request: ModelRequest): ModelRequest {
  const prompt = stripTurns(request.prompt, MODEL_PARTS);
  return prompt === request.prompt ? request : { ...request, prompt: [...prompt] };
}

/** At the end of the last leading system message: many models support no more of these than they are given. */
function withNote(prompt: ModelMessage[], note: string | undefined): ModelMessage[] {
  if (note === undefined) return prompt;
  const count = prompt.findIndex(({ role }) => role !== 'system');
  const last = (count < 0 ? prompt.length : count) - 1;
  if (last < 0) return [{ role: 'system', content: note }, ...prompt];
  return prompt.map((message, index) =>
    index === last && message.role === 'system' ? { ...message, content: `${message.content}\n\n${note}` } : message,
  );
}

function withTail(prompt: ModelMessage[], tail: string | undefined): ModelMessage[] {
  if (tail === undefined) return prompt;
  const latest = latestTextIndex(prompt);
  return prompt.map((message, index) =>
    index === latest && message.role === 'user'
      ? { ...message, content: [...message.content, { type: 'text', text: tail }] }
      : message,
  );
}

type ModelTool = NonNullable<ModelRequest['tools']>[number];

/** The choice with the name that the model knows. */
export function renderToolChoice(request: ModelRequest, plan: DeferPlan): ModelRequest['toolChoice'] {
  const { toolChoice } = request;
  if (toolChoice?.type !== 'tool') return toolChoice;
  const toolName = modelName(plan.snapshot, toolChoice.toolName);
  return toolName === toolChoice.toolName ? toolChoice : { ...toolChoice, toolName };
}

/** A choice that forced the search has been fulfilled: the next round is free. */
export function relaxToolChoice(request: ModelRequest, plan: DeferPlan): ModelRequest {
  const { toolChoice } = request;
  if (toolChoice?.type !== 'tool' || ownNamed(plan, toolChoice.toolName) === undefined) return request;
  return { ...request, toolChoice: { type: 'auto' } };
}

const declareTools = toolDeclarer<ModelTool>({
  own: ({ name, description, schema }) => ({ type: 'function', name, description, inputSchema: schema as object }),
  shown: define,
  nameOf: ({ name }) => name,
});

/** Without a provider's deferral mark, which would be rejected if no provider search is declared. */
function define(shown: Shown): ModelTool {
  const { tool, name, as } = shown;
  const isProvided = tool.extras.providerType !== undefined;
  const options = isProvided ? { shown } : { name, deferred: false, shown };
  const written = writeTool(tool, 'ai-sdk', options) as unknown as ModelTool;
  if (as !== 'stub' || written.type !== 'function') return written;
  // Text about parameters that are not shown is removed with them.
  const { strict: _, inputExamples: __, ...rest } = written;
  return rest;
}
