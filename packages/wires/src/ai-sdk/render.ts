import type { Tell, View } from '@quartermaster/core/disclosure';
import { defined } from '@quartermaster/core/internal';
import { latestTextIndex, type ModelMessage, type ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import { renderPrompt, stripPrompt } from './render-prompt.ts';
import { renderToolChoice, renderTools } from './render-tools.ts';

/** The plain request that goes to the model. */
export function renderRequest(request: ModelRequest, view: View, tell: Tell): ModelRequest {
  const { plan, tail } = view;
  if (plan.kind === 'inline') {
    const prompt = stripPrompt(request.prompt);
    return prompt === request.prompt ? request : { ...request, prompt };
  }
  const toolChoice = renderToolChoice(request, plan);
  return {
    ...request,
    prompt: withNote(withTail(renderPrompt(request.prompt, plan, tell), tail), plan.note),
    tools: renderTools(request, { ...view, plan }),
    ...defined({ toolChoice }),
  };
}

/** At the end of the last system message that stands before all others: many models take no more than they are given. */
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
