import type { ResponsesEvent, ResponsesItem } from './responses-shapes-2026-11.ts';
import { outputEvents } from './whole.ts';

const BASE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5.4',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
};

export const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 2,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 12,
};

/** The events that the API sends for these items. */
export function responseRound(
  items: readonly ResponsesItem[],
  ending: { readonly status: string; readonly [field: string]: unknown } = { status: 'completed' },
): readonly ResponsesEvent[] {
  const events: readonly ResponsesEvent[] = [
    { type: 'response.created', response: { ...BASE, status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { ...BASE, status: 'in_progress', output: [] } },
    ...items.flatMap(outputEvents),
    { type: `response.${ending.status}`, response: { ...BASE, ...ending, output: items, usage: USAGE } },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

export function message(text: string, id = 'msg_1'): ResponsesItem {
  return {
    type: 'message',
    id,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

export function functionCall(call_id: string, name: string, input: unknown, id = `fc_${call_id}`): ResponsesItem {
  return { type: 'function_call', id, call_id, name, arguments: JSON.stringify(input), status: 'completed' };
}

/** A function as a client declares it, with one required text. */
export function responseTool(name: string, description: string, extra: object = {}): ResponseTool {
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  return { type: 'function', name, description, parameters, strict: false, ...extra };
}

interface ResponseTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: unknown };
  readonly strict: boolean;
}
