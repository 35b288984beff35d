import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Hidden, TranscriptStore } from '@quartermaster/core/loop';
import { ApiError } from '../http/index.ts';

/** A conversation of the Responses API: what its client can list, and what a model reads. */
export interface Conversation {
  readonly id: string;
  readonly created_at: number;
  readonly metadata: JsonObject;
  /** What the client has sent and received, each with an id. */
  readonly items: readonly ConversationItem[];
  /** The same for the model, with the rounds that the client was not shown. */
  readonly history: readonly JsonObject[];
  /** Whether it has become too long to store: it can be read, but not continued. */
  readonly isFull: boolean;
}

export type ConversationItem = JsonObject & { readonly id: string };

/** The longest conversation that is stored, in characters of JSON: its items, and the same for the model. */
const LONGEST_CONVERSATION = 2 * 1024 * 1024;

export function newConversation(createdAtMs: number, metadata: JsonObject): Conversation {
  const id = `conv_${randomBytes(24).toString('hex')}`;
  return { id, created_at: Math.floor(createdAtMs / 1000), metadata, items: [], history: [], isFull: false };
}

/** The conversation with more items, which the model reads unchanged. Undefined if it would become too long. */
export function withItems(
  conversation: Conversation,
  added: readonly JsonObject[],
): { readonly conversation: Conversation; readonly added: readonly ConversationItem[] } | undefined {
  const items = nameAll(added, conversation.items);
  const grown = {
    ...conversation,
    items: [...conversation.items, ...items],
    history: [...conversation.history, ...added],
  };
  return isTooLong(grown) ? undefined : { conversation: grown, added: items };
}

/** The conversation without an item. */
export function withoutItem(conversation: Conversation, id: string): Conversation {
  const place = conversation.items.findIndex((item) => item.id === id);
  const item = conversation.items[place];
  if (item === undefined) return conversation;
  const text = JSON.stringify(bare(item));
  const isSame = (one: JsonObject): boolean => JSON.stringify(bare(one)) === text;
  // Of several equal ones, the one at the same turn.
  const before = conversation.items.slice(0, place).filter(isSame).length;
  const same = conversation.history.flatMap((one, at) => (isSame(one) ? [at] : []));
  const byId = conversation.history.findIndex((one) => one.id === id);
  const inHistory = byId >= 0 ? byId : (same[before] ?? -1);
  return {
    ...conversation,
    items: conversation.items.toSpliced(place, 1),
    history: inHistory < 0 ? conversation.history : conversation.history.toSpliced(inHistory, 1),
  };
}

export async function findConversation(store: TranscriptStore, id: string): Promise<Conversation | undefined> {
  return readConversation(await findEntry(store, id));
}

export async function saveConversation(store: TranscriptStore, conversation: Conversation): Promise<void> {
  await store.keep([conversation.id], toEntry(conversation));
}

/**
 * Changes a conversation as it is when the change is stored: of two concurrent changes, the later one is repeated on
 * the result of the other. Undefined for an unknown conversation.
 */
export async function changeConversation(
  store: TranscriptStore,
  id: string,
  change: (conversation: Conversation) => Conversation,
): Promise<Conversation | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const entry = await findEntry(store, id);
    const conversation = readConversation(entry);
    if (entry === undefined || conversation === undefined) return undefined;
    const changed = change(conversation);
    if (await store.replace(entry, toEntry(changed))) return changed;
  }
  throw new ApiError(409, `Conversation '${id}' is being changed by too many requests at once. Send this one again`);
}

/** Each failed attempt means that another request succeeded. */
const MOST_TRIES = 100;

/** A response and its input. */
export interface ConversationTurn {
  readonly input: readonly JsonObject[];
  /** How many items of the history the model had read before, in `content.history`; a long one has only what is new, in `added`. */
  readonly historyLength: number;
  /** As stored in the transcript. */
  readonly content: JsonObject;
}

/** Adds a stored response and its input, after what others have added in the meantime. */
export async function growConversation(store: TranscriptStore, id: string, turn: ConversationTurn): Promise<void> {
  const { content, input, historyLength } = turn;
  await changeConversation(store, id, (conversation) => {
    const items = [...conversation.items, ...nameAll([...input, ...listIn(content.output)], conversation.items)];
    const added = content.added ?? listIn(content.history).slice(historyLength);
    const history = [...conversation.history, ...listIn(added)];
    const grown = { ...conversation, items, history };
    const isFull = (content.history ?? content.added) === undefined || isTooLong(grown);
    return isFull ? { ...conversation, isFull } : grown;
  });
}

async function findEntry(store: TranscriptStore, id: string): Promise<Hidden | undefined> {
  return isConversationId(id) ? (await store.find([id])).get(id) : undefined;
}

function readConversation(entry: Hidden | undefined): Conversation | undefined {
  if (entry === undefined || !isJsonObject(entry.content.conversation)) return undefined;
  const { conversation, items, history, isFull } = entry.content;
  if (conversation.id !== entry.id) return undefined;
  return {
    id: entry.id,
    created_at: Number(conversation.created_at),
    metadata: isJsonObject(conversation.metadata) ? conversation.metadata : {},
    items: listIn(items).filter((item): item is ConversationItem => typeof item.id === 'string'),
    history: listIn(history),
    isFull: isFull === true,
  };
}

function toEntry({ items, history, isFull, ...named }: Conversation): Hidden {
  const content = { conversation: named, items, history, ...(isFull ? { isFull } : {}) } as unknown as JsonObject;
  return { id: named.id, dialect: 'openai-responses', version: 1, calls: [], content };
}

/** The conversation that a request belongs to, by its id or as an object. */
export function conversationOf(value: unknown): string | undefined {
  const id = isJsonObject(value) ? value.id : value;
  return typeof id === 'string' && isConversationId(id) ? id : undefined;
}

function isConversationId(id: string): boolean {
  return /^conv_[0-9a-f]{48}$/.test(id);
}

function isTooLong({ items, history }: Conversation): boolean {
  return JSON.stringify([items, history]).length > LONGEST_CONVERSATION;
}

/** Each with a unique id, by which a list is paged. */
function nameAll(items: readonly JsonObject[], others: readonly ConversationItem[]): readonly ConversationItem[] {
  const taken = new Set(others.map(({ id }) => id));
  return items.map((item) => {
    const { id, ...rest } = item;
    const one = named(typeof id === 'string' && (taken.has(id) || !isItemId(id)) ? rest : item);
    taken.add(one.id);
    return one;
  });
}

function named(item: JsonObject): ConversationItem {
  if (typeof item.id === 'string') return { ...item, id: item.id };
  const type = String(item.type ?? 'message');
  return { ...item, type, id: `${prefixOf(type)}_${randomBytes(16).toString('hex')}` };
}

/** Whether an item can be asked for by this id: clients put it into a path, where `.` and `..` mean something else. */
export function isItemId(id: string): boolean {
  return /^(?!\.{1,2}$)[\x21-\x7e]{1,1024}$/.test(id);
}

function bare({ id: _, type: __, ...rest }: JsonObject): JsonObject {
  return rest;
}

function listIn(value: unknown): readonly JsonObject[] {
  return (Array.isArray(value) ? value : []).filter(isJsonObject);
}

/** How the ids of items of a type begin. */
export function prefixOf(type: string): string {
  return PREFIXES.get(type) ?? 'item';
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['item_reference', 'ref'],
]);
