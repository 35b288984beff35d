import type { Whole } from '@quartermaster/core/loop';
import type { ResponsesEvent, ResponsesItem, ResponsesResponse } from './responses-shapes-2026-11.ts';

/** A response as the events that a stream would have brought, and back. */
export const responsesWhole: Whole<ResponsesResponse, ResponsesEvent> = { toParts, fromParts };

function toParts(response: ResponsesResponse): readonly ResponsesEvent[] {
  const { usage: _, ...rest } = response;
  const events: readonly ResponsesEvent[] = [
    { type: 'response.created', response: { ...rest, status: 'in_progress', output: [] } },
    ...(response.output ?? []).flatMap(outputEvents),
    { type: CLOSINGS[response.status ?? ''] ?? 'response.completed', response },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function fromParts(events: readonly ResponsesEvent[]): ResponsesResponse {
  const closing = events.findLast((event) => Object.values(CLOSINGS).includes(event.type));
  return closing?.response ?? events.find((event) => event.response !== undefined)?.response ?? {};
}

const CLOSINGS: Readonly<Record<string, string>> = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  failed: 'response.failed',
  cancelled: 'response.failed',
};

/** A whole item as the events that a stream brings it in: added empty, filled, done. */
export function outputEvents(item: ResponsesItem, outputIndex: number): readonly ResponsesEvent[] {
  const place = { output_index: outputIndex };
  const text = TEXTS[item.type ?? ''];
  const value = text === undefined ? undefined : item[text.field];
  const done: ResponsesEvent = { type: 'response.output_item.done', ...place, item };
  if (text === undefined || typeof value !== 'string') {
    return [{ type: 'response.output_item.added', ...place, item }, done];
  }
  const fields = { ...place, ...(typeof item.id === 'string' ? { item_id: item.id } : {}) };
  const status = item.status === undefined ? {} : { status: 'in_progress' };
  return [
    { type: 'response.output_item.added', ...place, item: { ...item, ...status, [text.field]: '' } },
    { type: `${text.event}.delta`, ...fields, delta: value },
    { type: `${text.event}.done`, ...fields, [text.field]: value, ...(text.hasName ? { name: item.name } : {}) },
    done,
  ];
}

const TEXTS: Readonly<Record<string, { readonly event: string; readonly field: string; readonly hasName: boolean }>> = {
  function_call: { event: 'response.function_call_arguments', field: 'arguments', hasName: true },
  custom_tool_call: { event: 'response.custom_tool_call_input', field: 'input', hasName: false },
};
