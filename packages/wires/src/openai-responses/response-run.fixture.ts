import { createSnapshot, createToolbox, parseTools, type Toolbox } from '@quartermaster/core';
import { FORMS, type Form, type FormName } from '@quartermaster/core/disclosure';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { runLoop } from '@quartermaster/core/loop';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { functionCall, message, responseRound, responseTool } from './response-script.fixture.ts';
import { openaiResponsesWire } from './responses-dialect.ts';
import type { ResponsesEvent, ResponsesItem, ResponsesRequest, ResponsesResponse } from './responses-shapes-2026-11.ts';
import { responsesWhole } from './whole.ts';

export const READ = responseTool('read_file', 'Reads a file.');
export const CREATE = responseTool('create_issue', 'Opens an issue.');
export const PATCH = { type: 'custom', name: 'apply_patch', description: 'Applies a patch.', format: { type: 'text' } };
export const TOOLS: readonly object[] = [READ, CREATE, PATCH];
export const USER: ResponsesItem = { role: 'user', content: 'Open an issue' };
export const REASONING: ResponsesItem = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'secret' };

export function makeToolbox(tools: readonly object[] = TOOLS): Toolbox {
  const declared = tools.filter((tool) => !('type' in tool) || tool.type !== 'tool_search');
  return createToolbox({
    tools: createSnapshot(parseTools(declared, { format: 'openai-responses', onProblem: 'throw' }).tools),
    searcher: wordSearcher,
    settings: { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' }, pins: ['read_file', 'web_search'] },
  });
}

export interface Run {
  readonly events: readonly ResponsesEvent[];
  readonly requests: readonly ResponsesRequest[];
  readonly response: ResponsesResponse;
}

export async function run(
  rounds: readonly (readonly ResponsesEvent[])[],
  options: {
    form?: FormName | Form;
    input?: readonly ResponsesItem[];
    tools?: readonly object[];
    request?: object;
    maxRounds?: number;
  } = {},
): Promise<Run> {
  const { form = 'bridge', input = [USER], tools = TOOLS } = options;
  const toolbox = makeToolbox(tools);
  const requests: ResponsesRequest[] = [];
  const events: ResponsesEvent[] = [];
  const loop = runLoop<ResponsesRequest, ResponsesEvent>({
    wire: openaiResponsesWire,
    toolbox,
    plan: toolbox.plan(undefined, { form: typeof form === 'string' ? FORMS[form] : form }),
    maxRounds: options.maxRounds ?? 6,
    request: { model: 'gpt-5.4', input, tools, ...options.request },
    async *upstream(request) {
      requests.push(request);
      yield* rounds[requests.length - 1] ?? [];
    },
  });
  for await (const event of loop) events.push(event);
  return { events, requests, response: responsesWhole.fromParts(events) };
}

export function sent(request: ResponsesRequest | undefined): readonly ResponsesItem[] {
  return Array.isArray(request?.input) ? request.input : [];
}

export function rendered(
  input: readonly ResponsesItem[],
  form: FormName,
  tools?: readonly object[],
): ResponsesRequest['input'] {
  const toolbox = makeToolbox(tools);
  const plan = toolbox.plan(undefined, { form: FORMS[form] });
  const request: ResponsesRequest = { input, tools: tools ?? TOOLS };
  const view = toolbox.view(plan, openaiResponsesWire.recall(request, plan));
  return openaiResponsesWire.render(request, view, (found, before) => toolbox.tell({ plan, found, before })).input;
}

export function search(
  key: string,
  query: string,
  names: readonly string[] = ['create_issue'],
): readonly ResponsesItem[] {
  const common = { call_id: null, execution: 'server', status: 'completed' };
  return [
    { type: 'tool_search_call', id: `tsc_${key}`, ...common, arguments: { query } },
    { type: 'tool_search_output', id: `tso_${key}`, ...common, tools: names.map((name) => responseTool(name, '')) },
  ];
}

export function output(call_id: string, text = 'Done'): ResponsesItem {
  return { type: 'function_call_output', call_id, output: text };
}

export const SEARCH = functionCall('call_0', 'tool_search', { query: 'issue' });
export const DONE = responseRound([message('Hello')]);
