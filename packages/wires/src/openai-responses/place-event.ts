import { OWN_NAMES, type Plan, parseArguments } from '@quartermaster/core';
import { isCall, type ResponsesEvent, type ResponsesItem } from './responses-shapes-2026-11.ts';
import { toClientName } from './tool-names.ts';
import type { Placed, WriterRound, WriterState } from './writer-state.ts';

/** An event of the upstream's in the client's numbering; nothing for one that the client's own item has no room for. */
export function placeEvent(given: ResponsesEvent, state: WriterState): readonly ResponsesEvent[] {
  const { round, output } = state;
  const upstreamIndex = given.output_index ?? 0;
  const event = state.isClientSearch ? asClientSearch(given, round) : given;
  if (event === undefined) return [];
  const known = round.placed.get(upstreamIndex) ?? newPlace(event.item, state);
  round.placed.set(upstreamIndex, known);
  const item = event.item === undefined ? undefined : placeItem(event.item, known, state.plan);
  if (event.item !== undefined && item !== undefined) {
    round.written.set(upstreamIndex, withIds(event.item, known));
    output[known.index] = item;
  }
  const name = typeof event.name === 'string' ? { name: toClientName(state.plan.snapshot, event.name).name } : {};
  return [
    {
      ...event,
      ...name,
      output_index: known.index,
      ...(event.item_id === undefined || known.id === undefined ? {} : { item_id: known.id }),
      ...(item === undefined ? {} : { item }),
    },
  ];
}

/** A call of the function that stands for the client's own search, as the search that the client expects. */
function asClientSearch(event: ResponsesEvent, round: WriterRound): ResponsesEvent | undefined {
  const { item, output_index: index = 0 } = event;
  if (item === undefined) return round.placed.get(index)?.id?.startsWith('tsc_') === true ? undefined : event;
  if (!isCall(item) || item.name !== OWN_NAMES.search) return event;
  const { call_id, status } = item;
  const input = event.type === 'response.output_item.done' ? (parseArguments(item.arguments) ?? item.arguments) : {};
  const id = `tsc_${call_id.replace(/^call_/, '')}`;
  return { ...event, item: { type: 'tool_search_call', id, call_id, execution: 'client', status, arguments: input } };
}

function newPlace(item: ResponsesItem | undefined, state: WriterState): Placed {
  const { output, unique } = state;
  const index = output.length;
  output.push(item ?? {});
  return {
    index,
    id: typeof item?.id === 'string' ? unique(item.id) : undefined,
    callId: typeof item?.call_id === 'string' ? unique(item.call_id) : undefined,
  };
}

/** An item under the client's ids, and a call under the name that the client knows. */
export function placeItem(item: ResponsesItem, place: Placed, plan: Plan): ResponsesItem {
  const own = withIds(item, place);
  if (!isCall(own) || own.namespace !== undefined || plan.kind === 'inline') return own;
  return { ...own, ...toClientName(plan.snapshot, own.name) };
}

function withIds(item: ResponsesItem, place: Placed): ResponsesItem {
  return {
    ...item,
    ...(place.id === undefined ? {} : { id: place.id }),
    ...(place.callId === undefined ? {} : { call_id: place.callId }),
  };
}
