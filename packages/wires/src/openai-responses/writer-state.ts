import type { Call, Plan } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Step } from '@quartermaster/core/dispatch';
import { isUniqueId, memoized, ownNamed } from '@quartermaster/core/internal';
import { uniqueIds, type WriterClient } from '@quartermaster/core/loop';
import { openSearch } from './open.ts';
import type { HeldItemCall } from './reader.ts';
import {
  itemsOf,
  type ResponsesEvent,
  type ResponsesItem,
  type ResponsesRequest,
  type ResponsesResponse,
} from './responses-shapes-2026-11.ts';

/** The position of an upstream item in the client's output. */
export interface Placed {
  readonly index: number;
  /** The first id that the upstream gave it. */
  readonly given: { readonly id: string | undefined; readonly callId: string | undefined };
  /** Its id in our events. */
  readonly id: string | undefined;
  readonly callId: string | undefined;
}

export interface WriterRound {
  /** By the upstream's index. */
  readonly placed: Map<number, Placed>;
  /** From the upstream's ids of this round to the client's. */
  readonly ids: Map<string, string>;
  /** What the upstream itself wrote, by index: for the next round's input. */
  readonly written: Map<number, ResponsesItem>;
  steps: readonly Step[];
  /** The items for steps that the client has to answer. */
  readonly delivered: Map<Step, readonly ResponsesItem[]>;
  usage: JsonObject | undefined;
  /** The upstream's name of this round's response at its start. */
  responseId: string | undefined;
}

/** What a response is written from. */
export interface WriterState {
  readonly request: ResponsesRequest;
  /** As the client sent it: with references, not resolved. */
  readonly asked: ResponsesRequest;
  readonly plan: Plan;
  /** Whether the client sees searches. */
  readonly isShown: boolean;
  /** Whether the client searches, and the upstream calls a function for it. */
  readonly isClientSearch: boolean;
  readonly unique: (id: string) => string;
  /** The client's output so far. */
  readonly output: ResponsesItem[];
  /** What the rounds so far have added to the history. */
  readonly hidden: ResponsesItem[];
  /** Gives an event the next number, unless its host does not number its events. */
  readonly number: (event: ResponsesEvent) => ResponsesEvent;
  /** Whether the host numbers its events, as its first one shows. */
  isNumbered: boolean | undefined;
  /** The shared part of the ids of a search's two items. */
  readonly searchKey: (call: Call) => string;
  opening: ResponsesResponse | undefined;
  closing: ResponsesEvent | undefined;
  usage: JsonObject | undefined;
  isFirstRound: boolean;
  round: WriterRound;
}

export function newWriterState(
  request: ResponsesRequest,
  plan: Plan,
  { taken = [], asked = request }: WriterClient<ResponsesRequest>,
): WriterState {
  const unique = uniqueIds({ taken: [...taken, ...idsIn(itemsOf(request))], prefix: 'call_' });
  let sequence = 0;
  const state: WriterState = {
    request,
    asked,
    plan,
    isShown: openSearch(request)?.kind === 'hosted',
    isClientSearch: plan.kind === 'defer' && plan.form.search === 'client' && openSearch(request)?.kind === 'client',
    unique,
    output: [],
    hidden: [],
    isNumbered: undefined,
    number(event) {
      if (state.isNumbered === false) return event;
      sequence += 1;
      return { ...event, sequence_number: sequence - 1 };
    },
    searchKey: memoized((call: Call) => {
      const id = itemOf(call)?.type === 'tool_search_call' ? itemOf(call)?.id : undefined;
      return unique(typeof id === 'string' ? id : searchId(call.id, state)).replace(/^tsc_/, '');
    }),
    opening: undefined,
    closing: undefined,
    usage: undefined,
    isFirstRound: true,
    round: newRound(),
  };
  return state;
}

export function newRound(): WriterRound {
  return {
    placed: new Map(),
    ids: new Map(),
    written: new Map(),
    steps: [],
    delivered: new Map(),
    usage: undefined,
    responseId: undefined,
  };
}

/**
 * The id of a search that is written for a call. Clients later refer to it by this id alone: for a host that numbers its calls, the
 * id of the response makes it unique.
 */
export function searchId(callId: string, { opening }: Pick<WriterState, 'opening'>): string {
  const id = callId.replace(/^call_/, '');
  if (isUniqueId(callId) || opening?.id === undefined || !isUniqueId(opening.id)) return `tsc_${id}`;
  return `tsc_${opening.id.replace(/^resp_/, '')}_${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)}`;
}

/** Whether a held call is to our search tool. */
export function isSearch(call: Call, plan: Plan): boolean {
  return ownNamed(plan, call.name)?.role === 'search';
}

/** The item of a held call. */
export function itemOf(call: Call & Partial<HeldItemCall>): ResponsesItem | undefined {
  return call.item;
}

function idsIn(items: readonly ResponsesItem[]): readonly string[] {
  return items.flatMap((item) => [item.id, item.call_id].filter((id) => typeof id === 'string'));
}
