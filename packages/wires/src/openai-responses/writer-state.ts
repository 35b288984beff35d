import type { Call, Plan } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Step } from '@quartermaster/core/dispatch';
import { isUniqueId, memoized, ownNamed, sha256 } from '@quartermaster/core/internal';
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
import { outputEvents } from './whole.ts';

/** The position of an upstream item in the client's output. */
export interface Placed {
  readonly index: number;
  /** The first id that the upstream gave it. */
  readonly given: { readonly id: string | undefined; readonly callId: string | undefined };
  /** Its id in our events. */
  readonly id: string | undefined;
  readonly callId: string | undefined;
}

/** What a response is written from. */
export class WriterState {
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
  readonly output: ResponsesItem[] = [];
  /** What the rounds so far have added to the history. */
  readonly hidden: ResponsesItem[] = [];
  /** Whether the host numbers its events, as its first one shows. */
  isNumbered: boolean | undefined;
  opening: ResponsesResponse | undefined;
  closing: ResponsesEvent | undefined;
  usage: JsonObject | undefined;
  isFirstRound = true;
  round: WriterRound = new WriterRound();
  readonly #storesResponses: boolean;
  /** The shared part of the ids of a search's two items. */
  readonly searchKey: (call: Call) => string = memoized((call: Call) => {
    const item = itemOf(call);
    const id = item?.type === 'tool_search_call' ? item.id : undefined;
    return this.unique(typeof id === 'string' ? id : this.searchId(call.id)).replace(/^tsc_/, '');
  });
  #sequence = 0;

  constructor(request: ResponsesRequest, plan: Plan, client: WriterClient<ResponsesRequest>) {
    const { taken = [], asked = request, storesResponses = false } = client;
    const search = openSearch(request)?.kind;
    this.request = request;
    this.asked = asked;
    this.plan = plan;
    this.#storesResponses = storesResponses && request.store !== false;
    this.isShown = search === 'hosted';
    this.isClientSearch = plan.kind === 'defer' && plan.form.search === 'client' && search === 'client';
    this.unique = uniqueIds({ taken: [...taken, ...idsIn(itemsOf(request))], prefix: 'call_' });
  }

  /**
   * The response begins. Later requests refer to a stored one by its id alone, so the id of a host that gives short ones is
   * replaced.
   */
  open(response: ResponsesResponse): void {
    if (this.opening !== undefined) return;
    const { id, created_at } = response;
    this.opening = response;
    if (!this.#storesResponses || id === undefined || isUniqueId(id)) return;
    const { conversation, previous_response_id } = this.asked;
    const asked = [id, created_at, conversation, previous_response_id, itemsOf(this.request)];
    this.opening = { ...response, id: `resp_${sha256([JSON.stringify(asked)]).slice(0, 32)}` };
  }

  /** Gives an event the next number, unless its host does not number its events. */
  number(event: ResponsesEvent): ResponsesEvent {
    if (this.isNumbered === false) return event;
    this.#sequence += 1;
    return { ...event, sequence_number: this.#sequence - 1 };
  }

  /** One of our items, at the end of the client's output. */
  show(item: ResponsesItem): readonly ResponsesEvent[] {
    const index = this.output.length;
    this.output.push(item);
    return outputEvents(item, index).map((event) => this.number(event));
  }

  /** The client's id for one that the upstream gave in this round. */
  idFor(id: string): string {
    const known = this.round.ids.get(id) ?? this.unique(id);
    this.round.ids.set(id, known);
    return known;
  }

  /**
   * The id of a search that is written for a call. Clients later refer to it by this id alone: for a host that numbers its calls, the
   * id of the response makes it unique.
   */
  searchId(callId: string): string {
    const id = callId.replace(/^call_/, '');
    const response = this.opening?.id;
    if (isUniqueId(callId) || response === undefined || !isUniqueId(response)) return `tsc_${id}`;
    return `tsc_${response.replace(/^resp_/, '')}_${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)}`;
  }
}

/** What one round of the upstream has written. */
export class WriterRound {
  /** By the upstream's index. */
  readonly placed: Map<number, Placed> = new Map();
  /** From the upstream's ids of this round to the client's. */
  readonly ids: Map<string, string> = new Map();
  /** What the upstream itself wrote, by index: for the next round's input. */
  readonly written: Map<number, ResponsesItem> = new Map();
  steps: readonly Step[] = [];
  /** The items for steps that the client has to answer. */
  readonly delivered: Map<Step, readonly ResponsesItem[]> = new Map();
  usage: JsonObject | undefined;
  /** The upstream's name of this round's response at its start. */
  responseId: string | undefined;
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
