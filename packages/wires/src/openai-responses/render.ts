import type { Memory, Tool } from '@quartermaster/core';
import { isJsonObject, type Json, type JsonObject, writeTool, writeTools } from '@quartermaster/core/catalog';
import {
  type DeferPlan,
  OWN_NAMES,
  type Own,
  type Shown,
  type Tell,
  type View,
  wrapCall,
} from '@quartermaster/core/disclosure';
import { memoized, ownTool } from '@quartermaster/core/internal';
import { contentText } from '../internal/content-text.ts';
import { isOtherSearch, isOtherSearchName, withoutDeferredTools } from '../internal/other-spellings.ts';
import { declareTools, openaiTool, withReadableArguments } from '../internal/shown-tools.ts';
import { toolDeclarer } from '../internal/tool-declarer.ts';
import { latestUserIndex, openSearch, searchTool } from './open.ts';
import {
  argumentsOf,
  type History,
  type HistorySearch,
  isOwnCall,
  readHistory,
  type Walked,
  walkHistory,
} from './recall.ts';
import {
  type CallItem,
  isAside,
  isCall,
  isCallOutput,
  isSearchCall,
  isSearchOutput,
  isWritten,
  itemsOf,
  type ResponsesItem,
  type ResponsesRequest,
  withoutMark,
} from './responses-shapes-2026-11.ts';
import { forcedTool, renderToolChoice } from './tool-choice.ts';
import { namesIn, toModelName } from './tool-names.ts';

/**
 * The plain request for the upstream. Searches in the history become calls of an ordinary function with their answers, or
 * client-executed searches if the upstream knows those.
 */
export function renderRequest(given: ResponsesRequest, view: View, tell: Tell): ResponsesRequest {
  const { plan } = view;
  const request = withoutDeferredTools(given);
  if (plan.kind === 'inline') return withoutMarks(withoutOtherSearches(request));
  const tools = renderTools(request, view, plan);
  const { tool_choice: choice } = request;
  const isHosted = plan.form.search === 'provider';
  const rendered = {
    ...request,
    ...(choice === undefined || isHosted ? {} : { tool_choice: renderToolChoice(choice, plan, tools) }),
    ...(plan.note === undefined ? {} : { instructions: withText(request.instructions, plan.note) }),
    ...(request.input === undefined ? {} : { input: renderInput(request.input, view, { plan, tell }) }),
  };
  return declareTools(rendered, tools);
}

/** This API has no search tools of other gateways: an upstream would reject them. */
function withoutOtherSearches(request: ResponsesRequest): ResponsesRequest {
  const { tools, tool_choice: choice, ...rest } = request;
  if (!Array.isArray(tools) || !tools.some(isOtherSearch)) return request;
  const isForced = isOtherSearch(choice) || isOtherSearchName(forcedTool(choice)?.name);
  return declareTools(
    isForced ? { ...rest, tools } : request,
    tools.filter((tool) => !isOtherSearch(tool)),
  );
}

/** A conversation may have had searches before. */
function withoutMarks(request: ResponsesRequest): ResponsesRequest {
  const { input } = request;
  if (!Array.isArray(input) || !itemsOf(request).some(isAside)) return request;
  return { ...request, input: itemsOf(request).map((item) => (isAside(item) ? withoutMark(item) : item)) };
}

function renderInput(
  input: string | readonly ResponsesItem[],
  view: View,
  context: { readonly plan: DeferPlan; readonly tell: Tell },
): string | readonly ResponsesItem[] {
  const { plan, tell } = context;
  if (typeof input === 'string') return view.tail === undefined ? input : withText(input, view.tail);
  const items = itemsOf({ input });
  const history = readHistory(items);
  const walked = walkHistory(items, { plan, history });
  const hints = new Set<ResponsesItem>();
  const rendered = inCallOrder(
    behindOutputs(
      items.flatMap((item) => renderItem(item, { plan, tell, history, walked, view, hints })),
      hints,
    ),
  );
  return withTail(plan.form.search === 'provider' ? rendered : withoutLooseReasoning(rendered), view.tail);
}

interface RenderContext {
  readonly plan: DeferPlan;
  readonly tell: Tell;
  readonly history: History;
  readonly walked: Walked;
  readonly view: View;
  /** Our messages among the rendered items. */
  readonly hints: Set<ResponsesItem>;
}

function renderItem(item: ResponsesItem, context: RenderContext): readonly ResponsesItem[] {
  const { plan, history } = context;
  if (isAside(item)) return [renderHint(withoutMark(item), context)];
  if (isSearchCall(item) || isSearchOutput(item)) {
    const search = history.searches.get(item);
    if (search === undefined) return [];
    if (plan.form.search === 'provider') return [item];
    return isSearchCall(item) ? renderSearch(search, plan) : renderFound(search, context);
  }
  if (plan.form.search === 'provider') return [item];
  const call = history.calls.get(item);
  if (isCall(item)) return call === undefined && item.async !== true ? [] : [renderCall(item, plan)];
  if (!isCallOutput(item)) return [item];
  if (call === undefined) return [];
  return [renderCall(call, plan).type === 'function_call' ? { ...item, type: 'function_call_output' } : item];
}

function renderSearch(search: HistorySearch, plan: DeferPlan): readonly ResponsesItem[] {
  const { id, arguments: input } = search.call;
  const call_id = callIdOf(search);
  if (plan.form.reveal === 'native') {
    // The id ties a search to the reasoning before it; one that we created ties nothing.
    const kept = typeof id === 'string' && id.startsWith('tsc_') ? { id } : {};
    return [{ type: 'tool_search_call', ...kept, call_id, execution: 'client', status: 'completed', arguments: input }];
  }
  const name = ownTool(plan, 'search')?.name ?? 'tool_search';
  return [{ type: 'function_call', call_id, name, arguments: JSON.stringify(input ?? {}) }];
}

function renderFound(search: HistorySearch, context: RenderContext): readonly ResponsesItem[] {
  const { plan, tell, walked } = context;
  const names = namesIn(plan.snapshot, search.output.tools);
  const before: Memory | undefined = walked.before.get(search.call);
  if (before === undefined) return [];
  const isFailed = search.output.status === 'incomplete';
  const { queries } = search;
  const text = isFailed
    ? tell({ kind: 'failure', queries, code: 'unavailable', message: 'The search could not be run.' }, before)
    : tell({ kind: 'search', queries, names }, before);
  const call_id = callIdOf(search);
  if (plan.form.reveal !== 'native') return [{ type: 'function_call_output', call_id, output: text }];
  const tools = names.flatMap((name) => loaded(name, context));
  const output = { type: 'tool_search_output', call_id, execution: 'client', status: 'completed', tools };
  const hint = isFailed ? undefined : hintIn(text);
  if (hint === undefined) return [output];
  return [output, renderHint({ type: 'message', role: 'developer', content: hint }, context)];
}

function renderHint(message: ResponsesItem, { hints }: RenderContext): ResponsesItem {
  hints.add(message);
  return message;
}

/** Outputs of one round stay together: a message between them would separate a call from its output. */
function behindOutputs(items: readonly ResponsesItem[], hints: ReadonlySet<ResponsesItem>): readonly ResponsesItem[] {
  if (hints.size === 0) return items;
  const placed: ResponsesItem[] = [];
  let waiting: ResponsesItem[] = [];
  for (const item of items) {
    if (hints.has(item)) {
      waiting.push(item);
      continue;
    }
    if (!isCallOutput(item) && !isSearchOutput(item)) {
      placed.push(...waiting);
      waiting = [];
    }
    placed.push(item);
  }
  return [...placed, ...waiting];
}

/** Parallel answers are in the order of their calls, whatever their source. */
function inCallOrder(items: readonly ResponsesItem[]): readonly ResponsesItem[] {
  const places = new Map<string, number>();
  const ordered: ResponsesItem[] = [];
  let outputs: ResponsesItem[] = [];
  const placeOf = ({ call_id: id }: ResponsesItem): number => (typeof id === 'string' ? (places.get(id) ?? -1) : -1);
  const flush = (): void => {
    ordered.push(...outputs.toSorted((left, right) => placeOf(left) - placeOf(right)));
    outputs = [];
  };
  for (const [place, item] of items.entries()) {
    if (isCallOutput(item) || isSearchOutput(item)) {
      outputs.push(item);
      continue;
    }
    flush();
    ordered.push(item);
    if (typeof item.call_id === 'string') places.set(item.call_id, place);
  }
  flush();
  return ordered;
}

/** An id that none of the model's calls can have. */
function callIdOf(search: HistorySearch): string {
  return `call_ts_${search.key}`;
}

/** A search's output has room for definitions only: the rest of the answer (nothing fits, repeated searches) follows it. */
function hintIn(text: string): string | undefined {
  const answer: unknown = JSON.parse(text);
  return isJsonObject(answer) && typeof answer.hint === 'string' ? answer.hint : undefined;
}

/** Names that are no longer in the catalog have nothing to load. */
function loaded(name: string, { plan, view }: RenderContext): readonly ResponsesItem[] {
  const late = view.revealed.find((shown) => shown.name === name);
  if (late !== undefined) return [writeLoaded(late.tool, name)];
  const tool = plan.snapshot.resolve(name);
  return tool === undefined || !plan.deferred.has(name) ? [] : [writeLoaded(tool, name)];
}

/** A real call as the model wrote it: wrapped in the bridge form, with the name that the model was shown. */
function renderCall(call: CallItem, plan: DeferPlan): CallItem {
  if (isOwnCall(plan, call)) return call.type === 'function_call' ? withReadableArguments(call) : call;
  const name = toModelName(plan.snapshot, call);
  const wrapped = wrapCall(plan, { name, arguments: argumentsOf(call) });
  const { namespace: _, ...flat } = call;
  if (wrapped.name === name) return { ...flat, name };
  const arguments_ = JSON.stringify(wrapped.arguments);
  if (call.type === 'function_call') return { ...flat, name: wrapped.name, arguments: arguments_ };
  // A custom call's id is not valid for a function call.
  return { type: 'function_call', call_id: call.call_id, name: wrapped.name, arguments: arguments_ };
}

/**
 * Reasoning must come right before what it led to: the API rejects it otherwise. If that was a search that the client
 * did not see, or half of a pair, the reasoning is removed with it.
 */
function withoutLooseReasoning(items: readonly ResponsesItem[]): readonly ResponsesItem[] {
  return items.filter((item, index) => {
    if (item.type !== 'reasoning') return true;
    const next = items[index + 1];
    return next !== undefined && next.type !== 'reasoning' && isWritten(next);
  });
}

function withTail(items: readonly ResponsesItem[], tail: string | undefined): readonly ResponsesItem[] {
  if (tail === undefined) return items;
  const latest = latestUserIndex(items);
  return items.map((item, index) => {
    if (index !== latest) return item;
    if (!Array.isArray(item.content)) return { ...item, content: withText(contentText(item.content), tail) };
    return { ...item, content: [...item.content, { type: 'input_text', text: tail }] };
  });
}

function withText(before: unknown, text: string): string {
  return typeof before === 'string' && before !== '' ? `${before}\n\n${text}` : text;
}

/** The tools to declare for a view. */
export function renderTools(request: ResponsesRequest, view: View, plan: DeferPlan): readonly unknown[] {
  const search = searchTool(request);
  if (plan.form.search === 'provider') return [search ?? { type: 'tool_search' }, ...markedTools(plan)];
  if (plan.form.search === 'client') {
    const asked = search === undefined || openSearch(request)?.kind !== 'client' ? [] : [writeClientSearch(search)];
    return [...asked, ...listTools({ ...view, plan }, [])];
  }
  const forced = forcedTool(request.tool_choice);
  return listTools({ ...view, plan }, forced === undefined ? [] : [toModelName(plan.snapshot, forced)]);
}

const listTools = toolDeclarer<JsonObject>({ own: writeOwn, shown: writeShown, nameOf: ({ name }) => name });

/** The client's own search as a function, for an upstream without client-executed search. */
function writeClientSearch(search: JsonObject): JsonObject {
  const { description, parameters } = search;
  return {
    type: 'function',
    name: OWN_NAMES.search,
    description: typeof description === 'string' ? description : 'Search for tools that are not in your list.',
    parameters: isJsonObject(parameters) ? parameters : QUERY_SCHEMA,
    strict: false,
  };
}

const QUERY_SCHEMA: JsonObject = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

/** A definition for a search's output, as the model can call it. */
function writeLoaded(tool: Tool, name: string): JsonObject {
  return writeTool(openaiTool(tool, 'openai-responses'), 'openai-responses', { name, deferred: true });
}

/** For the provider's own search: as received, with namespaces, and with the marks that the plan gives them. */
const markedTools = memoized((plan: DeferPlan): readonly Json[] => {
  const byTool = new Map(plan.shown.map((shown) => [openaiTool(shown.tool, 'openai-responses'), shown]));
  return writeTools([...byTool.keys()], 'openai-responses', (tool) => {
    const shown = byTool.get(tool);
    // A tool that its provider runs (a whole MCP server) is deferred by its own mark; the gate does not decide about it.
    const deferred = tool.extras.providerType === undefined ? shown?.as === 'mark' : tool.policy === 'always';
    const isNamed = tool.extras.namespace === undefined && tool.server !== undefined;
    return { deferred, ...(isNamed && shown !== undefined ? { name: shown.name } : {}) };
  });
});

/** Not `strict`, which would make every parameter required. */
function writeOwn(own: Own, plan: DeferPlan): JsonObject {
  const { name, description, schema: parameters } = own;
  if (plan.form.reveal === 'native' && own.role === 'search') {
    return { type: 'tool_search', execution: 'client', description, parameters };
  }
  return { type: 'function', name, description, parameters, strict: false };
}

/** A stub can't be `strict`, which requires a closed schema. A custom tool has no schema to remove: it stays whole. */
function writeShown(shown: Shown): JsonObject {
  const { tool, name } = shown;
  const options = { name, deferred: shown.as === 'mark' };
  if (shown.as !== 'stub' || tool.extras.freeform === true)
    return writeTool(openaiTool(tool, 'openai-responses'), 'openai-responses', options);
  const extras = { ...tool.extras, strict: false };
  return writeTool({ ...tool, extras }, 'openai-responses', { ...options, shown });
}
