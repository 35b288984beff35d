import { createSnapshot, createToolbox, type Plan, parseTools, type Toolbox } from '@quartermaster/core';
import { FORMS, type FormName } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { runLoop } from '@quartermaster/core/loop';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { openaiChatWire } from './chat-dialect.ts';
import { chatTool } from './chat-script.fixture.ts';
import type { ChatChunk, ChatMessage, ChatRequest, ChatToolCall } from './chat-shapes-2026-11.ts';

export const READ = chatTool('read_file', 'Reads a file.');
export const CREATE = chatTool('create_issue', 'Opens an issue.');
export const PATCH = {
  type: 'custom',
  custom: { name: 'apply_patch', description: 'Applies a patch.', format: { type: 'text' } },
};
export const USER: ChatMessage = { role: 'user', content: 'Open an issue' };

export function makeToolbox(tools: readonly unknown[] = [READ, CREATE, PATCH]): Toolbox {
  return createToolbox({
    tools: createSnapshot(parseTools(tools, { format: 'openai-chat', onProblem: 'throw' }).tools),
    searcher: wordSearcher,
    settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' }, pins: ['read_file'] },
  });
}

export interface Run {
  readonly parts: readonly ChatChunk[];
  readonly requests: readonly ChatRequest[];
  readonly plan: Plan;
}

export async function run(
  rounds: readonly (readonly ChatChunk[])[],
  options: { form?: FormName; request?: Partial<ChatRequest>; tools?: readonly unknown[]; prefetch?: boolean } = {},
): Promise<Run> {
  const tools = options.tools ?? [READ, CREATE, PATCH];
  const toolbox = makeToolbox(tools);
  const plan = toolbox.plan(undefined, { form: FORMS[options.form ?? 'bridge'] });
  const requests: ChatRequest[] = [];
  const parts: ChatChunk[] = [];
  const loop = runLoop<ChatRequest, ChatChunk>({
    wire: openaiChatWire,
    toolbox,
    plan,
    prefetch: options.prefetch ?? false,
    request: { model: 'gpt-5.4', messages: [USER], tools, ...options.request },
    async *upstream(request) {
      requests.push(request);
      yield* rounds[requests.length - 1] ?? [];
    },
  });
  for await (const part of loop) parts.push(part);
  return { parts, requests, plan };
}

export function answered(call: ChatToolCall, text = 'Done'): readonly ChatMessage[] {
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: text },
  ];
}

export function toolCall(id: string, name: string, input: unknown = { text: 'x' }): ChatToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

export const SEARCH = { id: 'call_0', name: 'tool_search', input: { query: 'issue' } };
