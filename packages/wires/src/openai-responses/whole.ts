import type { Whole } from '@quartermaster/core/loop';
import { outputEvents } from './output-events.ts';
import type { ResponsesEvent, ResponsesResponse } from './responses-shapes-2026-11.ts';

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
