import type { Plan } from '@quartermaster/core';
import { OWN_NAMES } from '@quartermaster/core/disclosure';
import { parseArguments, type Resolved, type Step } from '@quartermaster/core/dispatch';
import { defined, remainingTokens, sumUsage } from '@quartermaster/core/internal';
import type { Ending, Writer, WriterClient } from '@quartermaster/core/loop';
import { relaxToolChoice } from '../internal/forced-search.ts';
import {
  isCall,
  itemsOf,
  type ResponsesEvent,
  type ResponsesItem,
  type ResponsesRequest,
  type ResponsesResponse,
} from './responses-shapes-2026-11.ts';
import { hiddenContent } from './responses-transcript.ts';
import { roundItems, searchCallItem, searchOutputItem } from './round-items.ts';
import { forcedTool } from './tool-choice.ts';
import { toClientName } from './tool-names.ts';
import { isSearch, itemOf, type Placed, WriterRound, WriterState } from './writer-state.ts';

/**
 * Writes one response over all rounds: the first round's id, consecutive numbers and indexes, summed usage. Our searches are shown as
 * the provider's own would be if the client has declared a search tool, and are hidden otherwise.
 */
export function createWriter(
  request: ResponsesRequest,
  plan: Plan,
  client: WriterClient<ResponsesRequest> = {},
): Writer<ResponsesRequest, ResponsesEvent> {
  const state = new WriterState(request, plan, client);

  return {
    forward(event) {
      state.isNumbered ??= event.sequence_number !== undefined;
      if (LIFECYCLE.has(event.type)) {
        state.round.responseId ??= event.response?.id;
        return state.isFirstRound ? [state.number(openEvent(event, state))] : [];
      }
      if (event.output_index === undefined) return [event.sequence_number === undefined ? event : state.number(event)];
      return placeEvent(event, state).map((placed) => state.number(placed));
    },
    close(event) {
      state.closing = event;
      state.round.usage = event.response?.usage ?? undefined;
    },
    hold(call) {
      if (!state.isShown || !isSearch(call, plan)) return [];
      return state.show(searchCallItem(call, state.searchKey(call)));
    },
    deliver(step) {
      if (step.kind !== 'calls') return [];
      const items = step.calls.map((call, index) => callItem({ call, step, isFirst: index === 0 }, state));
      state.round.delivered.set(step, items);
      return items.flatMap((item) => state.show(item));
    },
    answer(steps) {
      state.round.steps = steps;
      return steps.flatMap((step) => {
        if (step.kind !== 'answer' || !state.isShown || !isSearch(step.call, plan)) return [];
        return state.show(searchOutputItem(step, state.searchKey(step.call), plan));
      });
    },
    extend() {
      state.hidden.push(...roundItems(state));
      state.usage = sumUsage(state.usage, state.round.usage);
      state.round = new WriterRound();
      state.isFirstRound = false;
      const { tool_choice: choice } = request;
      const left = remainingTokens(request.max_output_tokens, state.usage?.output_tokens, LEAST_TOKENS);
      return {
        ...request,
        ...(choice === undefined || plan.kind === 'inline'
          ? {}
          : { tool_choice: relaxToolChoice(choice, forcedTool(choice)?.name, plan) }),
        ...defined({ max_output_tokens: left }),
        input: [...itemsOf(request), ...state.hidden],
      };
    },
    hidden: (ending) =>
      hiddenContent({
        items: [...state.hidden, ...roundItems(state)],
        response: finalResponse(ending, state),
        request,
        id: state.opening?.id,
      }),
    finish(ending) {
      const type = endingType(ending, state.closing?.type);
      const response = finalResponse(ending, state);
      return [state.number({ ...state.closing, type, response })];
    },
  };
}

/** The final response for the client. */
function finalResponse(ending: Ending, state: WriterState): ResponsesResponse & { output: readonly ResponsesItem[] } {
  const base: ResponsesResponse = { ...state.opening, ...state.closing?.response };
  const usage = sumUsage(state.usage, state.round.usage);
  const output = finalOutput(state);
  const response = restate(
    {
      ...base,
      ...(state.opening?.created_at === undefined ? {} : { created_at: state.opening.created_at }),
      ...defined({ usage }),
      ...statusFor(ending, endingType(ending, state.closing?.type), base),
    },
    state,
  );
  return { ...response, output };
}

function openEvent(event: ResponsesEvent, state: WriterState): ResponsesEvent {
  if (event.response === undefined) return event;
  state.open(event.response);
  return { ...event, response: restate(event.response, state) };
}

/** The response repeats what the client requested, not what was sent upstream. */
function restate(response: ResponsesResponse, state: WriterState): ResponsesResponse {
  const { request, opening, round } = state;
  // A host that changes its ids from event to event may do so.
  const id = opening?.id === undefined || response.id !== round.responseId ? {} : { id: opening.id };
  const referred = { ...response, ...references(state), ...id };
  if (state.plan.kind === 'inline') return referred;
  const asked = {
    tools: request.tools ?? [],
    instructions: request.instructions ?? null,
    tool_choice: request.tool_choice ?? 'auto',
  };
  const kept = Object.entries(asked).filter(([key]) => response[key] !== undefined);
  return { ...referred, ...Object.fromEntries(kept) };
}

/** What the client continues from: its host was sent the items themselves. */
function references({ asked, request }: WriterState): Partial<ResponsesResponse> {
  const { previous_response_id: previous, conversation } = asked;
  return {
    ...(previous === request.previous_response_id ? {} : { previous_response_id: previous }),
    ...(conversation === request.conversation
      ? {}
      : { conversation: typeof conversation === 'string' ? { id: conversation } : conversation }),
  };
}

/**
 * A call for the client, made from its original item: unknown fields stay, and so does the id, to which
 * reasoning may be tied.
 */
function callItem(
  made: { readonly call: Resolved; readonly step: Step; readonly isFirst: boolean },
  state: WriterState,
): ResponsesItem {
  const { call, step, isFirst } = made;
  const isFreeform = call.tool.extras.freeform === true;
  const type = isFreeform ? 'custom_tool_call' : 'function_call';
  const source = itemOf(step.call);
  const kept = isFirst && source?.type === type ? source : { id: `${isFreeform ? 'ctc' : 'fc'}_${call.id}` };
  const { input } = call.arguments;
  return {
    ...kept,
    type,
    id: state.unique(kept.id ?? call.id),
    call_id: state.unique(call.id),
    ...toClientName(state.plan.snapshot, call.name),
    ...(isFreeform
      ? { input: typeof input === 'string' ? input : JSON.stringify(input ?? '') }
      : { arguments: JSON.stringify(call.arguments) }),
    status: 'completed',
  };
}

/** What the last round left unfinished is taken from the upstream's own response. */
function finalOutput(state: WriterState): readonly ResponsesItem[] {
  const { round, closing } = state;
  const output = [...state.output];
  for (const [index, place] of round.placed) {
    const item = closing?.response?.output?.[index];
    if (item !== undefined && item.type === output[place.index]?.type)
      output[place.index] = placeItem(item, place, state);
  }
  return output;
}

function endingType(ending: Ending, type: string | undefined): string {
  if (ending === 'pause') return 'response.incomplete';
  return type ?? 'response.incomplete';
}

/** This API has no code for a round limit. */
function statusFor(ending: Ending, type: string, response: ResponsesResponse): Partial<ResponsesResponse> {
  if (ending === 'pause') return { status: 'incomplete', incomplete_details: { reason: 'max_messages' } };
  return {
    status: response.status === 'in_progress' ? type.replace('response.', '') : (response.status ?? 'completed'),
  };
}

/** The API's minimum. */
const LEAST_TOKENS = 16;

const LIFECYCLE: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued']);

/** An upstream event with the client's numbering; undefined if the client's own item has no place for it. */
function placeEvent(given: ResponsesEvent, state: WriterState): readonly ResponsesEvent[] {
  const { round, output } = state;
  const upstreamIndex = given.output_index ?? 0;
  const event = state.isClientSearch ? asClientSearch(given, state) : given;
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

/** A call of the function that represents the client's own search, as the search that the client expects. */
function asClientSearch(event: ResponsesEvent, state: WriterState): ResponsesEvent | undefined {
  const { round } = state;
  const { item, output_index: index = 0 } = event;
  if (item === undefined) return round.placed.get(index)?.id?.startsWith('tsc_') === true ? undefined : event;
  if (!isCall(item) || item.name !== OWN_NAMES.search) return event;
  const { call_id, status } = item;
  const input = event.type === 'response.output_item.done' ? (parseArguments(item.arguments) ?? item.arguments) : {};
  const id = state.searchId(call_id);
  return { ...event, item: { type: 'tool_search_call', id, call_id, execution: 'client', status, arguments: input } };
}

function newPlace(item: ResponsesItem | undefined, state: WriterState): Placed {
  const { output, round } = state;
  const index = output.length;
  output.push(item ?? {});
  const given = { id: textOf(item?.id), callId: textOf(item?.call_id) };
  const known = [...round.placed.values()];
  const isOutput = String(item?.type).endsWith('_output');
  // Some hosts give two calls one id; a call and its output have to share one.
  const hasTwin = !isOutput && known.some((place) => given.callId !== undefined && place.given.callId === given.callId);
  const isSecond = known.some((place) => given.id !== undefined && place.given.id === given.id);
  return {
    index,
    given,
    id: given.id === undefined ? undefined : isSecond ? state.unique(given.id) : state.idFor(given.id),
    callId: given.callId === undefined ? undefined : hasTwin ? state.unique(given.callId) : state.idFor(given.callId),
  };
}

/** An item with the client's ids, and a call with the name that the client knows. */
function placeItem(item: ResponsesItem, place: Placed, state: WriterState): ResponsesItem {
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
    ...(callId === undefined ? {} : { call_id: callId === place.given.callId ? place.callId : state.idFor(callId) }),
  };
}

/** Some hosts change an item's id from event to event: each of them is unique, and none replaces another. */
function clientId(id: string, place: Placed, state: WriterState): string {
  return id === place.given.id && place.id !== undefined ? place.id : state.idFor(id);
}

/** Some hosts leave the ids of items empty that the client does not answer. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
