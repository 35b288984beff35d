import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { type DeferPlan, type Fact, remember } from '@quartermaster/core/disclosure';
import { parseArguments } from '@quartermaster/core/dispatch';
import { factsOfCall, ownNamed, readQueries } from '@quartermaster/core/internal';
import { contentText } from '../internal/content-text.ts';
import {
  type CallItem,
  isCall,
  isCallOutput,
  isSearchCall,
  isSearchOutput,
  isWritten,
  itemsOf,
  type ResponsesItem,
  type ResponsesRequest,
  type SearchCallItem,
  type SearchOutputItem,
} from './responses-shapes-2026-11.ts';
import { forcedTool } from './tool-choice.ts';
import { namesIn, toModelName } from './tool-names.ts';

/** What the items have revealed, no matter who searched: definitions in search outputs, our answers, calls. */
export function recallRequest(request: ResponsesRequest, plan: Plan): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const items = itemsOf(request);
  const memory = walkHistory(items, { plan, history: readHistory(items) }).memory;
  const forced = forcedTool(request.tool_choice);
  if (forced === undefined) return memory;
  // A tool that the model is forced to call must be declared in full, found or not.
  const name = toModelName(plan.snapshot, forced);
  return plan.deferred.has(name) ? remember(memory, { kind: 'revealed', names: [name] }) : memory;
}

export interface Walked {
  readonly memory: Memory;
  /** The memory before the round in which an item was written: parallel searches share it. */
  readonly before: ReadonlyMap<ResponsesItem, Memory>;
}

interface WalkContext {
  readonly plan: DeferPlan;
  readonly history: History;
}

/** One pass over the items, folding what they say. */
export function walkHistory(items: readonly ResponsesItem[], context: WalkContext): Walked {
  const before = new Map<ResponsesItem, Memory>();
  let memory = EMPTY_MEMORY;
  let roundStart = memory;
  let wasWritten = false;
  for (const item of items) {
    const written = isWritten(item);
    if (written && !wasWritten) roundStart = memory;
    wasWritten = written;
    if (written) before.set(item, roundStart);
    memory = factsOf(item, context).reduce(remember, memory);
  }
  return { memory, before };
}

function factsOf(item: ResponsesItem, { plan, history }: WalkContext): readonly Fact[] {
  if (item.role === 'user') return [{ kind: 'asked' }];
  const search = history.searches.get(item);
  if (search !== undefined && isSearchOutput(item)) {
    return [{ kind: 'searched', queries: search.queries, names: namesIn(plan.snapshot, item.tools) }];
  }
  const call = history.calls.get(item);
  if (call === undefined) return [];
  if (!isOwnCall(plan, call)) return isCall(item) ? [{ kind: 'called', name: toModelName(plan.snapshot, call) }] : [];
  if (!isCallOutput(item)) return [];
  return factsOfCall(plan, { name: call.name, arguments: argumentsOf(call), answer: contentText(item.output) });
}

/** Whether a call is to one of our tools. */
export function isOwnCall(plan: DeferPlan, { name, namespace }: CallItem): boolean {
  return namespace === undefined && ownNamed(plan, name) !== undefined;
}

/** A call's arguments: JSON for a function, the single field `input` for a custom tool. */
export function argumentsOf(call: CallItem): unknown {
  if (call.type === 'custom_tool_call') return { input: call.input ?? '' };
  return parseArguments(call.arguments) ?? call.arguments;
}

/** A history in which calls and outputs are paired. Unpaired halves are not rendered. */
export interface History {
  /** Searches that have an output, by either half. */
  readonly searches: ReadonlyMap<ResponsesItem, HistorySearch>;
  /** The call of each output, and each call that has one. */
  readonly calls: ReadonlyMap<ResponsesItem, CallItem>;
}

export interface HistorySearch {
  readonly call: SearchCallItem;
  readonly output: SearchOutputItem;
  readonly queries: readonly string[];
  /** The ids that both halves are given: the same in every turn, whatever else is in the history. */
  readonly key: string;
}

/** Pairs each output with the latest open call of its id, because upstreams reuse ids. */
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

/** By the shared part of their ids; else in order, because the provider's own searches share nothing. */
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
