import type { Tell, View } from '@quartermaster/core/disclosure';
import type { AnthropicMessage, AnthropicRequest } from './anthropic-shapes-2026-11.ts';
import { latestTextIndex } from './open.ts';
import { renderMessages } from './render-messages.ts';
import { renderTools } from './render-tools.ts';
import type { SearchTool } from './search-tool.ts';

export interface RenderOptions {
  /** The search tool to ask a provider for when the client declared none. */
  readonly hostedEngine: SearchTool['engine'];
}

/** A plain request of the same dialect. Fields and blocks that are not of tool search stay as they are. */
export function renderRequest(
  request: AnthropicRequest,
  rendering: { readonly view: View; readonly tell: Tell },
  options: RenderOptions,
): AnthropicRequest {
  const { view, tell } = rendering;
  const { plan } = view;
  if (plan.kind === 'inline') return request;
  const { tools, has, choice } = renderTools(request, view, options.hostedEngine);
  const messages = renderMessages(withTail(request.messages, view.tail), { plan, tell, has });
  const { tools: _, tool_choice: __, ...rest } = request;
  return {
    ...rest,
    ...renderSystem(request, plan.note),
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined || tools.length === 0 ? {} : { tool_choice: choice }),
    messages,
  };
}

/** After the client's own instructions, so that their bytes stay where a cache has seen them. */
function renderSystem(request: AnthropicRequest, note: string | undefined): Pick<AnthropicRequest, 'system'> {
  const { system } = request;
  if (note === undefined) return {};
  if (Array.isArray(system)) return { system: [...system, { type: 'text', text: note }] };
  return { system: typeof system === 'string' && system !== '' ? `${system}\n\n${note}` : note };
}

function withTail(messages: readonly AnthropicMessage[], tail: string | undefined): readonly AnthropicMessage[] {
  const latest = latestTextIndex(messages);
  if (tail === undefined || latest < 0) return messages;
  return messages.map((message, index) => (index === latest ? addText(message, tail) : message));
}

function addText(message: AnthropicMessage, text: string): AnthropicMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: `${content}\n\n${text}` };
  return { ...message, content: [...content, { type: 'text', text }] };
}
