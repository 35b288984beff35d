import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import {
  type ContinuedHistory,
  type HiddenContent,
  readSlots,
  type ShownPiece,
  type Slot,
  type WireTranscript,
  weaveSlots,
} from '@quartermaster/core/loop';
import { contentText } from '../internal/content-text.ts';
import {
  isCallOutput,
  isSearchCall,
  isSearchOutput,
  isWritten,
  itemsOf,
  type ResponsesItem,
  type ResponsesRequest,
  type ResponsesResponse,
} from './responses-shapes-2026-11.ts';

/** What to keep of a response: its items as the next request must have them, and which of those the client sends back itself. */
export function hiddenContent(response: {
  /** The response as items of a history: rounds with the answers that the model has read. */
  readonly items: readonly ResponsesItem[];
  /** What the client was sent. */
  readonly response: ResponsesResponse & { readonly output: readonly ResponsesItem[] };
  /** The request that it answers, and its id: unless nothing is stored for the client, it may refer to both. */
  readonly request: ResponsesRequest;
  readonly id: string | undefined;
}): HiddenContent | undefined {
  const { items, request, id } = response;
  const { output, ...sent } = response.response;
  const isStored = request.store !== false && id !== undefined;
  const keys = new Set(output.map(keyOf));
  const slots = items.map(
    (item): Slot => (keys.has(keyOf(item)) ? { shown: keyOf(item) } : { hidden: item as JsonObject }),
  );
  const shown = slots.flatMap((slot) => ('shown' in slot ? [slot.shown] : []));
  const isSame = shown.length === items.length && output.every((item, index) => keyOf(item) === shown[index]);
  if (isSame && !isStored) return undefined;
  const replaces = [...keys].filter((key) => !shown.includes(key));
  // A search has no call id of its own.
  const calls = items.flatMap((item) => {
    if (keys.has(keyOf(item)) || isAnswer(item)) return [];
    const id = isSearchCall(item) ? (item.call_id ?? item.id) : item.call_id;
    return typeof id === 'string' ? [id] : [];
  });
  const stored = isStored ? { output } : {};
  return {
    shown: output.map(pieceOf),
    calls,
    content: { slots, replaces, ...stored } as unknown as JsonObject,
    ...(isStored ? { response: { id, content: wholeOf(sent, output, historyWith(request, items)) } } : {}),
  };
}

/** Everything that the model has read and written. Unknown if the host has the beginning. */
function historyWith(
  request: ResponsesRequest,
  items: readonly ResponsesItem[],
): { readonly history?: readonly ResponsesItem[] } {
  const isContinued = typeof request.previous_response_id === 'string' || conversationOf(request) !== undefined;
  return isContinued ? {} : { history: [...itemsOf(request), ...items] };
}

/** A response for requests that name it: what its client got, and what the next one continues. */
function wholeOf(sent: ResponsesResponse, output: readonly ResponsesItem[], history: object): JsonObject {
  return { response: withinBound(sent), output, ...history } as unknown as JsonObject;
}

/** Definitions of thousands of tools, which the client knows, are not stored with each response. */
function withinBound(response: ResponsesResponse): ResponsesResponse {
  return JSON.stringify(response.tools ?? []).length > LONGEST_TOOLS ? { ...response, tools: [] } : response;
}

const LONGEST_TOOLS = 64 * 1024;

/** The longest history that is stored with each response, in characters of JSON: of longer ones, each part is stored once. */
const LONGEST_HISTORY = 256 * 1024;

/** The most that one turn may add to a history. */
const LONGEST_TURN = 1024 * 1024;

/** The longest history that is put together, and over how many responses it may be spread. */
const LONGEST_IN_ALL = 4 * 1024 * 1024;
const MOST_BASES = 32;

/**
 * Of a long history a response has the end, and the id of an earlier response that has the rest. Of a conversation, which has the
 * history itself, it has what is new. A response has no history if there is too much of it: then it can't be continued.
 */
async function shorten(
  content: JsonObject,
  { asked, length, find }: ContinuedHistory<ResponsesRequest>,
): Promise<JsonObject> {
  const { history: whole, ...rest } = content;
  const history = itemsIn(whole);
  const size = sizeOf(history);
  if (size <= LONGEST_HISTORY) return content;
  const added = history.slice(length);
  const isTurn = sizeOf(added) <= LONGEST_TURN;
  if (conversationOf(asked) !== undefined) return isTurn ? { ...rest, added: added as readonly JsonObject[] } : rest;
  const id = asked.previous_response_id;
  // A client that sends the whole conversation each time has no need to refer to it.
  if (typeof id !== 'string') return isTurn && !itemsOf(asked).some(isModels) ? content : rest;
  const before = length > 0 ? await find(id) : undefined;
  if (before === undefined || !isTurn || size > LONGEST_IN_ALL) return rest;
  const known = readBase(before);
  const isNear = known !== undefined && sizeOf(history.slice(known.length)) <= LONGEST_HISTORY;
  const base = isNear ? known : { id, length, depth: (known?.depth ?? 0) + 1 };
  if (base.depth > MOST_BASES) return rest;
  return { ...rest, base, history: history.slice(base.length) as readonly JsonObject[] };
}

/** Where the beginning of a history is stored. */
type Base = {
  /** The response whose history it is. */
  readonly id: string;
  /** How many items it has. */
  readonly length: number;
  /** Over how many responses it is spread. */
  readonly depth: number;
};

function readBase({ base }: JsonObject): Base | undefined {
  if (!isJsonObject(base)) return undefined;
  const { id, length, depth } = base;
  return typeof id === 'string' && typeof length === 'number' && typeof depth === 'number'
    ? { id, length, depth }
    : undefined;
}

function sizeOf(items: readonly ResponsesItem[]): number {
  return JSON.stringify(items).length;
}

/** The complete history of a stored response. Undefined if a part of it is no longer stored. */
function historyOf(id: string, found: ReadonlyMap<string, JsonObject>): readonly ResponsesItem[] | undefined {
  const content = found.get(id);
  if (content === undefined || !Array.isArray(content.history)) return undefined;
  const items = itemsIn(content.history);
  const base = readBase(content);
  if (base === undefined) return items;
  // Each base is less deep, so that this ends whatever is stored.
  const before = found.get(base.id);
  const isDeeper = before !== undefined && (readBase(before)?.depth ?? 0) >= base.depth;
  const start = isDeeper ? undefined : historyOf(base.id, found);
  return start?.length === base.length ? [...start, ...items] : undefined;
}

/** The transcript of the Responses API, in which a response is a list of items. */
export const responsesTranscript: WireTranscript<ResponsesRequest> = {
  version: 1,
  pieces: (request) =>
    itemsOf(request).map((item) => {
      if (isModels(item)) return { by: 'model', ...pieceOf(item) };
      // Clients cut and reorder results: they don't identify a conversation.
      if (isCallOutput(item)) return { by: 'client', text: '' };
      return item.role === 'user' ? { by: 'client', text: contentText(item.content) } : { by: 'none' };
    }),
  weave(request, entries) {
    let items: readonly (ResponsesItem | undefined)[] = itemsOf(request);
    const woven = new Map<number, readonly ResponsesItem[]>();
    for (const { pieces, content, isAfter } of entries) {
      const first = Math.min(...pieces);
      if (isAfter) {
        const before = items[first];
        woven.set(first, [...(before === undefined ? [] : [before]), ...weaveItems([], content)]);
        continue;
      }
      const end = Math.max(...pieces);
      if (isOtherResponse(items, end, content)) continue;
      const last = endOfOutputs(items, end);
      const region = items.slice(first, last + 1).filter((item) => item !== undefined);
      woven.set(first, weaveItems(region, content));
      items = items.map((item, index) => (index >= first && index <= last ? undefined : item));
    }
    const input = items.flatMap((item, index) => woven.get(index) ?? (item === undefined ? [] : [item]));
    return { ...request, input };
  },
  references: (request) => [
    ...(typeof request.previous_response_id === 'string' ? [request.previous_response_id] : []),
    ...(conversationOf(request) ?? []),
    ...itemsOf(request).flatMap((item) => (isReference(item) ? [item.id] : [])),
  ],
  resolve(request, found) {
    const { previous_response_id: previous, conversation: _, ...rest } = request;
    const [conversation] = conversationOf(request) ?? [];
    const kept = conversation === undefined ? undefined : found.get(conversation);
    if (kept !== undefined) checkConversation(request, kept);
    const items = itemsOf(request).map((item) => {
      const content = isReference(item) ? found.get(item.id) : undefined;
      return itemsIn(content?.output).find((one) => one.id === item.id) ?? item;
    });
    const history =
      kept === undefined
        ? typeof previous === 'string'
          ? historyOf(previous, found)
          : undefined
        : itemsIn(kept.history);
    return history === undefined ? { ...request, input: items } : { ...rest, input: [...history, ...items] };
  },
  baseOf: (content) => readBase(content)?.id,
  shorten,
};

/** The conversation that a request names, by its id or as an object. */
function conversationOf({ conversation }: ResponsesRequest): readonly string[] | undefined {
  const id = isJsonObject(conversation) ? conversation.id : conversation;
  return typeof id === 'string' ? [id] : undefined;
}

/** Throws for requests that a stored conversation can't serve. */
function checkConversation(request: ResponsesRequest, kept: JsonObject): void {
  const refuse = (text: string): never => {
    throw new RequestError('unsupported_request', text, { context: { parameter: 'conversation' } });
  };
  if (kept.isFull === true) refuse('The conversation is larger than what is stored. Start another');
  if (typeof request.previous_response_id === 'string') {
    refuse("conversation and previous_response_id can't be used together. Leave one of them out");
  }
  if (request.store === false) refuse('A conversation is stored; store: false contradicts it. Leave one of them out');
}

function itemsIn(value: unknown): readonly ResponsesItem[] {
  return (Array.isArray(value) ? value : []).filter(isJsonObject);
}

function isReference(item: ResponsesItem): item is ResponsesItem & { readonly id: string } {
  return item.type === 'item_reference' && typeof item.id === 'string';
}

/** The items of one response and their answers, with what was hidden. The client's answers come before messages that accompany ours. */
function weaveItems(region: readonly ResponsesItem[], content: JsonObject): readonly ResponsesItem[] {
  const replaced = new Set(Array.isArray(content.replaces) ? content.replaces : []);
  const sent = region.filter((item) => isModels(item) && !replaced.has(keyOf(item)));
  const given = region.filter((item) => !isModels(item));
  const items = weaveSlots(readSlots(content.slots), sent, keyOf) as readonly ResponsesItem[];
  const end = items.findLastIndex((item) => isWritten(item) || isAnswer(item)) + 1;
  return [...items.slice(0, end), ...given, ...items.slice(end)];
}

/**
 * Whether the model continued after calls that wait for the client: then these are the items of another response, with the same
 * ids because its host counts from 0 in each.
 */
function isOtherResponse(items: readonly (ResponsesItem | undefined)[], end: number, content: JsonObject): boolean {
  const next = items[end + 1];
  const isWaiting = readSlots(content.slots).some(
    (slot) => 'shown' in slot && /^(function|custom_tool)_call:/.test(slot.shown),
  );
  return isWaiting && next !== undefined && isModels(next);
}

/** The last of the client's answers that follow an item. */
function endOfOutputs(items: readonly (ResponsesItem | undefined)[], index: number): number {
  let end = index;
  for (let next = items[end + 1]; next !== undefined && isCallOutput(next); next = items[end + 1]) end += 1;
  return end;
}

function isModels(item: ResponsesItem): boolean {
  return isWritten(item) || isSearchOutput(item);
}

function isAnswer(item: ResponsesItem): boolean {
  return isCallOutput(item) || isSearchOutput(item);
}

function pieceOf(item: ResponsesItem): ShownPiece {
  const ids = [item.id, item.call_id].filter((id): id is string => typeof id === 'string' && id !== '');
  return { ids, text: item.type === 'message' ? contentText(item.content) : '' };
}

/** What identifies an item when the client sends it back: for a call its call id, which clients need, for others their own id. */
function keyOf(item: ResponsesItem): string {
  if (isCallOutput(item)) return `output:${item.call_id}`;
  const [id] = [item.call_id, item.id].filter((one) => typeof one === 'string');
  return id === undefined
    ? `${item.type ?? 'message'}:${contentText(item.content).slice(0, 32)}`
    : `${item.type}:${id}`;
}
