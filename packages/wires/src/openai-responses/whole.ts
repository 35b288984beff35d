import { isJsonObject } from '@quartermaster/core/catalog';
import type { Whole } from '@quartermaster/core/loop';
import type { ResponsesEvent, ResponsesItem, ResponsesResponse } from './responses-shapes-2026-11.ts';

/** Converts a response to the events of an equivalent stream, and back. */
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

/** A whole item as the events of a stream: added empty, filled, done. Items of other kinds are added whole. */
export function outputEvents(item: ResponsesItem, outputIndex: number): readonly ResponsesEvent[] {
  const place = { output_index: outputIndex, ...(typeof item.id === 'string' ? { item_id: item.id } : {}) };
  const { emptied, filling } = fillingOf(item, place);
  const status = filling.length === 0 || item.status === undefined ? {} : { status: 'in_progress' };
  return [
    { type: 'response.output_item.added', output_index: outputIndex, item: { ...item, ...status, ...emptied } },
    ...filling,
    { type: 'response.output_item.done', output_index: outputIndex, item },
  ];
}

/** Where an event of an item belongs. */
type Place = Pick<ResponsesEvent, 'output_index' | 'item_id'>;

/** The fields of an item that start empty, and the events that fill them. */
function fillingOf(item: ResponsesItem, place: Place): { emptied: object; filling: readonly ResponsesEvent[] } {
  const text = TEXTS[item.type ?? ''];
  const value = text === undefined ? undefined : item[text.field];
  if (text !== undefined && typeof value === 'string') {
    const done = { [text.field]: value, ...(text.hasName ? { name: item.name } : {}) };
    const filling = [
      { type: `${text.event}.delta`, ...place, delta: value },
      { type: `${text.event}.done`, ...place, ...done },
    ];
    return { emptied: { [text.field]: '' }, filling };
  }
  const parts = PARTS[item.type ?? ''];
  const list = parts === undefined ? undefined : item[parts.field];
  if (parts === undefined || !Array.isArray(list)) return { emptied: {}, filling: [] };
  const filling = list.flatMap((part, at) => partEvents(part, { ...place, [parts.index]: at }, parts.event));
  return { emptied: { [parts.field]: [] }, filling };
}

/** One part of a message or of a summary. Parts without a known text are added whole. */
function partEvents(part: unknown, place: Place, event: string): readonly ResponsesEvent[] {
  const known = isJsonObject(part) ? PART_TEXTS[String(part.type)] : undefined;
  const text = known !== undefined && isJsonObject(part) ? part[known.field] : undefined;
  const done = { type: `${event}.done`, ...place, part };
  if (known === undefined || !isJsonObject(part) || typeof text !== 'string') {
    return [{ type: `${event}.added`, ...place, part }, done];
  }
  const annotations = Array.isArray(part.annotations) ? part.annotations : [];
  const emptied = { [known.field]: '', ...(annotations.length === 0 ? {} : { annotations: [] }) };
  return [
    { type: `${event}.added`, ...place, part: { ...part, ...emptied } },
    { type: `${known.event}.delta`, ...place, delta: text, ...known.extra },
    ...annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...place,
      annotation_index,
      annotation,
    })),
    { type: `${known.event}.done`, ...place, [known.field]: text, ...known.extra },
    done,
  ];
}

const PARTS: Readonly<Record<string, { readonly field: string; readonly index: string; readonly event: string }>> = {
  message: { field: 'content', index: 'content_index', event: 'response.content_part' },
  reasoning: { field: 'summary', index: 'summary_index', event: 'response.reasoning_summary_part' },
};

const PART_TEXTS: Readonly<
  Record<string, { readonly event: string; readonly field: string; readonly extra?: { readonly logprobs: [] } }>
> = {
  output_text: { event: 'response.output_text', field: 'text', extra: { logprobs: [] } },
  refusal: { event: 'response.refusal', field: 'refusal' },
  summary_text: { event: 'response.reasoning_summary_text', field: 'text' },
};

const TEXTS: Readonly<Record<string, { readonly event: string; readonly field: string; readonly hasName: boolean }>> = {
  function_call: { event: 'response.function_call_arguments', field: 'arguments', hasName: true },
  custom_tool_call: { event: 'response.custom_tool_call_input', field: 'input', hasName: false },
};
