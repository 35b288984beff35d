import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import {
  type HiddenContent,
  readSlots,
  type ShownPiece,
  type Slot,
  type WireTranscript,
  weaveSlots,
} from '@quartermaster/core/loop';
import {
  isCallOutput,
  isSearchCall,
  isSearchOutput,
  isWritten,
  itemsOf,
  type ResponsesItem,
  type ResponsesRequest,
  type ResponsesResponse,
  textOf,
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
  const stored = isStored ? { response: withinBound(sent), output, ...historyOf(request, items) } : {};
  return {
    shown: output.map(pieceOf),
    ...(isStored ? { responseId: id } : {}),
    calls,
    content: { slots, replaces, ...stored } as unknown as JsonObject,
  };
}

/** Definitions of thousands of tools, which the client knows, are not stored with each response. */
function withinBound(response: ResponsesResponse): ResponsesResponse {
  return JSON.stringify(response.tools ?? []).length > LONGEST_TOOLS ? { ...response, tools: [] } : response;
}

const LONGEST_TOOLS = 64 * 1024;

/** The longest history that is stored with a response for requests that continue from it, in characters of JSON. */
const LONGEST_HISTORY = 256 * 1024;

/** Everything that the model has read and written up to the end of a response. Undefined if that is too much to store with each of them. */
function historyOf(
  request: ResponsesRequest,
  items: readonly ResponsesItem[],
): { readonly history?: readonly ResponsesItem[] } {
  const history = [...itemsOf(request), ...items];
  return JSON.stringify(history).length > LONGEST_HISTORY ? {} : { history };
}

/** The transcript of the Responses API, in which a response is a list of items. */
export const responsesTranscript: WireTranscript<ResponsesRequest> = {
  version: 1,
  pieces: (request) =>
    itemsOf(request).map((item) => {
      if (isModels(item)) return { by: 'model', ...pieceOf(item) };
      // Clients cut and reorder results: they don't identify a conversation.
      if (isCallOutput(item)) return { by: 'client', text: '' };
      return item.role === 'user' ? { by: 'client', text: textOf(item.content) } : { by: 'none' };
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
    const history = kept?.history ?? (typeof previous === 'string' ? found.get(previous)?.history : undefined);
    if (history === undefined) return { ...request, input: items };
    return { ...rest, input: [...itemsIn(history), ...items] };
  },
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
  return { ids: idsIn(item), text: isJsonObject(item) && item.type === 'message' ? textOf(item.content) : '' };
}

function idsIn(item: ResponsesItem): readonly string[] {
  return [item.id, item.call_id].filter((id): id is string => typeof id === 'string' && id !== '');
}

/** What identifies an item when the client sends it back: for a call its call id, which clients need, for others their own id. */
function keyOf(item: ResponsesItem): string {
  if (isCallOutput(item)) return `output:${item.call_id}`;
  const [id] = [item.call_id, item.id].filter((one) => typeof one === 'string');
  return id === undefined ? `${item.type ?? 'message'}:${textOf(item.content).slice(0, 32)}` : `${item.type}:${id}`;
}
