import { OWN_NAMES } from '@quartermaster/core/disclosure';
import { parseArguments } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
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
  const item = event.item === undefined ? undefined : placeItem(event.item, known, state);
  if (event.item !== undefined && item !== undefined) {
    round.written.set(upstreamIndex, withIds(event.item, known, state));
    output[known.index] = item;
  }
  const name = typeof event.name === 'string' ? { name: toClientName(state.plan.snapshot, event.name).name } : {};
  return [
    {
      ...event,
      ...name,
      output_index: known.index,
      ...(typeof event.item_id === 'string' ? { item_id: clientId(event.item_id, known, state) } : {}),
      ...defined({ item }),
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
  const { output, round } = state;
  const index = output.length;
  output.push(item ?? {});
  const given = { id: textOf(item?.id), callId: textOf(item?.call_id) };
  const known = [...round.placed.values()];
  const isOutput = String(item?.type).endsWith('_output');
  // Hosts give two calls one id; a call and its output have to share one.
  const hasTwin = !isOutput && known.some((place) => given.callId !== undefined && place.given.callId === given.callId);
  const isSecond = known.some((place) => given.id !== undefined && place.given.id === given.id);
  return {
    index,
    given,
    id: given.id === undefined ? undefined : isSecond ? state.unique(given.id) : idFor(given.id, state),
    callId: given.callId === undefined ? undefined : hasTwin ? state.unique(given.callId) : idFor(given.callId, state),
  };
}

/** An item under the client's ids, and a call under the name that the client knows. */
export function placeItem(item: ResponsesItem, place: Placed, state: WriterState): ResponsesItem {
  const { plan } = state;
  const own = withIds(item, place, state);
  if (!isCall(own) || own.namespace !== undefined || plan.kind === 'inline') return own;
  return { ...own, ...toClientName(plan.snapshot, own.name) };
}

function withIds(item: ResponsesItem, place: Placed, state: WriterState): ResponsesItem {
  const id = textOf(item.id);
  const callId = textOf(item.call_id);
  return {
    ...item,
    ...(id === undefined ? {} : { id: clientId(id, place, state) }),
    ...(callId === undefined ? {} : { call_id: callId === place.given.callId ? place.callId : idFor(callId, state) }),
  };
}

/** Some hosts change an item's id from event to event: every one of them is unique, and none takes another's place. */
function clientId(id: string, place: Placed, state: WriterState): string {
  return id === place.given.id && place.id !== undefined ? place.id : idFor(id, state);
}

function idFor(id: string, { round, unique }: WriterState): string {
  const known = round.ids.get(id) ?? unique(id);
  round.ids.set(id, known);
  return known;
}

/** Hosts leave ids of what is not for the client to answer empty. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
