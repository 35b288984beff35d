import { readQueries } from '@quartermaster/core/internal';
import {
  type CallItem,
  isCall,
  isCallOutput,
  isSearchCall,
  isSearchOutput,
  type ResponsesItem,
  type SearchCallItem,
  type SearchOutputItem,
} from './responses-shapes-2026-11.ts';

/** A history with its halves paired. Unpaired halves are not rendered. */
export interface History {
  /** Searches that have their output, by either half. */
  readonly searches: ReadonlyMap<ResponsesItem, HistorySearch>;
  /** The call of each output, and each call that has one. */
  readonly calls: ReadonlyMap<ResponsesItem, CallItem>;
}

export interface HistorySearch {
  readonly call: SearchCallItem;
  readonly output: SearchOutputItem;
  readonly queries: readonly string[];
  /** What the two halves are called by: the same in every turn, whatever else is in the history. */
  readonly key: string;
}

/** Pairs each output with the latest open call of its id: upstreams use the same id again and again. */
export function readHistory(items: readonly ResponsesItem[]): History {
  const searches = new Map<ResponsesItem, HistorySearch>();
  const calls = new Map<ResponsesItem, CallItem>();
  const openCalls = new Map<string, CallItem>();
  const openSearches: SearchCallItem[] = [];
  for (const item of items) {
    if (isCall(item)) openCalls.set(item.call_id, item);
    else if (isSearchCall(item)) openSearches.push(item);
    else if (isSearchOutput(item)) {
      const call = takeSearch(openSearches, item);
      if (call === undefined) continue;
      const count = searches.size / 2;
      const search = { call, output: item, queries: readQueries(call.arguments), key: keyOf(call) ?? `${count}` };
      searches.set(call, search).set(item, search);
    } else if (isCallOutput(item)) {
      const call = openCalls.get(item.call_id);
      if (call === undefined) continue;
      openCalls.delete(item.call_id);
      calls.set(call, call).set(item, call);
    }
  }
  return { searches, calls };
}

/** By what they share; else in order, as the provider's own searches come, which share nothing. */
function takeSearch(open: SearchCallItem[], output: SearchOutputItem): SearchCallItem | undefined {
  const key = keyOf(output);
  const named = open.findIndex((call) => key !== undefined && keyOf(call) === key);
  const index = named >= 0 ? named : open.findIndex((call) => isProviders(call) && isProviders(output));
  return index < 0 ? undefined : open.splice(index, 1)[0];
}

function isProviders(item: SearchCallItem | SearchOutputItem): boolean {
  return typeof item.call_id !== 'string';
}

/** `tsc_1` and `tso_1` are halves of one search. */
function keyOf(item: SearchCallItem | SearchOutputItem): string | undefined {
  if (typeof item.call_id === 'string') return item.call_id.replace(/^call_/, '');
  return typeof item.id === 'string' ? item.id.replace(/^ts[co]_/, '') : undefined;
}
