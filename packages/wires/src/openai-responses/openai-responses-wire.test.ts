import { writeTool } from '@quartermaster/core/catalog';
import { FORMS } from '@quartermaster/core/disclosure';
import { describeWire } from '@quartermaster/core/fixtures';
import { LOCAL_FORMS } from '@quartermaster/core/testing';
import { openaiResponsesWire } from './responses-dialect.ts';
import type { ResponsesEvent, ResponsesItem, ResponsesRequest, ResponsesResponse } from './responses-shapes-2026-11.ts';
import { responsesWhole } from './whole.ts';

type Sample = Parameters<typeof describeWire<ResponsesRequest, ResponsesEvent>>[0];
type ScriptedRound = Parameters<Sample['round']>[0];
type SeenMessage = ReturnType<Sample['seen']>['messages'][number];

/** Like the API: created, each item added, filled and done, then the whole response. `asSearch` writes searches as an upstream does that knows them. */
function round(script: ScriptedRound, asSearch: boolean, responseId = 'resp_1'): readonly ResponsesEvent[] {
  const items = script.items.map((item, index): ResponsesItem => {
    const isCut = script.ending === 'cut' && index === script.items.length - 1;
    const status = isCut ? 'incomplete' : 'completed';
    if (item.kind === 'text') {
      const content = [{ type: 'output_text', text: item.text, annotations: [] }];
      return { type: 'message', id: `msg_${index}`, role: 'assistant', status, content };
    }
    if (asSearch && item.name === 'tool_search') {
      const input: unknown = isCut ? item.json : JSON.parse(item.json);
      return {
        type: 'tool_search_call',
        id: `tsc_${item.id}`,
        call_id: item.id,
        execution: 'client',
        status,
        arguments: input,
      };
    }
    return {
      type: 'function_call',
      id: `fc_${index}`,
      call_id: item.id,
      name: item.name,
      arguments: item.json,
      status,
    };
  });
  const base = { id: responseId, object: 'response', created_at: 1, model: 'gpt-5.4', tools: [], tool_choice: 'auto' };
  const status = script.ending === 'cut' ? 'incomplete' : 'completed';
  const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
  const events: readonly ResponsesEvent[] = [
    { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { ...base, status: 'in_progress', output: [] } },
    ...items.flatMap(eventsOf),
    { type: `response.${status}`, response: { ...base, status, output: items, usage } },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function eventsOf(item: ResponsesItem, output_index: number): readonly ResponsesEvent[] {
  const place = { output_index, item_id: item.id ?? '' };
  const added = (empty: object): ResponsesEvent => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, ...empty, status: 'in_progress' },
  });
  const done: ResponsesEvent = { type: 'response.output_item.done', output_index, item };
  if (item.type === 'function_call') {
    const delta = { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments };
    return [added({ arguments: '' }), delta, done];
  }
  if (item.type !== 'message') return [added({}), done];
  const [part] = item.content as readonly { readonly text: string }[];
  return [
    added({ content: [] }),
    { type: 'response.content_part.added', ...place, content_index: 0, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, content_index: 0, delta: part?.text },
    done,
  ];
}

function outputOf(events: readonly ResponsesEvent[]): readonly ResponsesItem[] {
  return events.flatMap((event) =>
    event.type === 'response.output_item.done' && event.item !== undefined ? [event.item] : [],
  );
}

function itemsOf({ results, text }: Parameters<Sample['next']>[2]): readonly ResponsesItem[] {
  return [
    ...[...results].map(([call_id, output]) => ({ type: 'function_call_output', call_id, output })),
    ...(text === undefined ? [] : [{ role: 'user', content: text }]),
  ];
}

function textOf(item: ResponsesItem): string {
  if (typeof item.content === 'string') return item.content;
  return Array.isArray(item.content) ? item.content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

/** Items side by side are one message of the model's, or one of answers. */
function seenMessages(items: readonly ResponsesItem[]): readonly SeenMessage[] {
  const messages: SeenMessage[] = [];
  for (const item of items) {
    const next = seenItem(item);
    const last = messages.at(-1);
    if (last === undefined || last.role !== next.role || next.role === 'user') {
      messages.push(next);
      continue;
    }
    const text = last.text + next.text;
    messages[messages.length - 1] = {
      ...last,
      text,
      calls: [...last.calls, ...next.calls],
      answers: [...last.answers, ...next.answers],
    };
  }
  return messages;
}

function seenItem(item: ResponsesItem): SeenMessage {
  const id = String(item.call_id);
  switch (item.type) {
    case 'function_call':
    case 'tool_search_call':
      return { role: 'assistant', text: JSON.stringify(item.arguments), calls: [id], answers: [] };
    case 'function_call_output':
      return { role: 'tool', text: String(item.output), calls: [], answers: [id] };
    case 'tool_search_output':
      return { role: 'tool', text: JSON.stringify(item.tools), calls: [], answers: [id] };
    default:
      return { role: item.role === 'assistant' ? 'assistant' : 'user', text: textOf(item), calls: [], answers: [] };
  }
}

function sample(options: { readonly isShown: boolean; readonly isNative: boolean }): Sample {
  return {
    wire: openaiResponsesWire,
    forms: options.isNative ? { native: FORMS.native, hosted: FORMS.hosted } : LOCAL_FORMS,
    showsSearches: options.isShown,
    endings: { done: 'completed', calls: 'completed', pause: 'incomplete', cut: 'incomplete' },
    request: ({ text, tools, unknown }) => ({
      model: 'gpt-5.4',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
      tools: [
        ...(options.isShown ? [{ type: 'tool_search' }] : []),
        ...tools.map((tool) => writeTool(tool, 'openai-responses')),
      ],
      stream: true,
      future_field: unknown,
    }),
    round: (script, responseId) => round(script, options.isNative, responseId),
    received(events) {
      const output = outputOf(events);
      return {
        text: output.map((item) => (item.type === 'message' ? textOf(item) : '')).join(''),
        calls: output.flatMap((item) => {
          if (item.type !== 'function_call') return [];
          return [{ id: String(item.call_id), name: String(item.name), arguments: JSON.parse(String(item.arguments)) }];
        }),
        order: output
          .map((item) => {
            if (item.type === 'message') return textOf(item);
            return item.type === 'function_call' ? `<${item.name}>` : '';
          })
          .join(''),
        ending: events.at(-1)?.response?.status ?? 'none',
        openings: events.filter((event) => event.type === 'response.created').length,
        closings: events.filter((event) => /^response\.(completed|incomplete|failed)$/.test(event.type)).length,
      };
    },
    next: (request, events, reply) => ({
      ...request,
      input: [...(request.input as readonly ResponsesItem[]), ...outputOf(events), ...itemsOf(reply)],
    }),
    refer: (request, events, reply) => ({
      ...request,
      previous_response_id: events.at(-1)?.response?.id,
      input: itemsOf(reply),
    }),
    messages: (request) => request.input as readonly unknown[],
    withMessages: (request, messages) => ({ ...request, input: messages as never }),
    seen: (request) => ({
      prefix: JSON.stringify([request.instructions, request.tools]),
      tools: ((request.tools ?? []) as readonly { readonly name?: string }[]).map((tool) => tool.name ?? ''),
      messages: seenMessages(request.input as readonly ResponsesItem[]),
    }),
    whole: {
      toParts: (response) => responsesWhole.toParts(response as ResponsesResponse),
      fromParts: responsesWhole.fromParts,
    },
  };
}

describeWire(sample({ isShown: false, isNative: false }));
describeWire(sample({ isShown: true, isNative: false }));
describeWire(sample({ isShown: false, isNative: true }));
describeWire(sample({ isShown: true, isNative: true }));
