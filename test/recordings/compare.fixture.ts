import { isRecord } from './recording.fixture.ts';

/**
 * What a client got, in a form in which two answers are equal but for ids made unique and usage added: ids by the order of their first
 * appearance. Besides, a Responses object repeats tools and instructions of its request, which is not the recorded one, the AI SDK
 * notes when an answer came, and chunks of Chat are folded into what they say: they may be cut in other places.
 */
export function comparable(got: unknown): unknown {
  return canonicalIds(withoutRequest(foldChunks(plainOf(got))));
}

/**
 * The same for a response that took a search: without the parts that show it, the numbers of events and the pings between rounds, and
 * with one usage, at the end. What opens a stream has the usage of the first round, which the last event restates for all.
 */
export function comparableAfterSearch(got: unknown, { isSearched, hasContentAtStart }: SearchedAnswer): unknown {
  const plain = withoutRounds(plainOf(got));
  const merged = withOneUsage(isSearched ? withoutSearch(plain) : plain);
  // Blocks that come with a message's start can't stand there in a later round: what they make is compared.
  return comparable(hasContentAtStart && isRecord(merged) ? merged.message : merged);
}

export interface SearchedAnswer {
  /** Whether there is a search in it. */
  readonly isSearched: boolean;
  /** Whether the recording opens with blocks. */
  readonly hasContentAtStart: boolean;
}

function plainOf(got: unknown): unknown {
  return JSON.parse(JSON.stringify(got ?? null));
}

function withOneUsage(got: unknown): unknown {
  if (!isRecord(got)) return got;
  if (Array.isArray(got.parts)) return { ...got, parts: got.parts.filter((part) => !isOpeningPart(part)) };
  if (Array.isArray(got.choices)) return { ...got, choices: got.choices.map(withoutEmptyContent) };
  if (isRecord(got.usage)) return { ...got, usage: withoutCount(got.usage) };
  if (!Array.isArray(got.events) || !isRecord(got.message)) return got;
  const { usage: _, ...message } = got.message;
  const started = got.events.find((event) => isRecord(event) && event.type === 'message_start');
  const opening = isRecord(started) && isRecord(started.message) ? started.message.usage : {};
  const events = got.events.map((event) => {
    if (!isRecord(event)) return event;
    if (event === started && isRecord(event.message)) return { ...event, message: { ...event.message, usage: null } };
    return isRecord(event.usage)
      ? { ...event, usage: withoutCount({ ...(opening as object), ...event.usage }) }
      : event;
  });
  return { ...got, events, message };
}

/** OpenAI's types have a content in every message, `null` at least; of hosts that leave it out, a message that began with a search has one. */
function withoutEmptyContent(choice: unknown): unknown {
  if (!isRecord(choice) || !isRecord(choice.message) || choice.message.content !== null) return choice;
  const { content: _, ...message } = choice.message;
  return { ...choice, message };
}

/** The AI SDK's own report of what opened a message. */
function isOpeningPart(part: unknown): boolean {
  return isRecord(part) && part.type === 'custom' && String(part.kind).endsWith('.message_start');
}

/** How many searches were made is the one thing that is added; a count of 0 says nothing. */
function withoutCount(usage: Readonly<Record<string, unknown>>): unknown {
  const { server_tool_use: counts, ...rest } = usage;
  const counted = Object.entries(isRecord(counts) ? counts : {}).filter(
    ([key, count]) => key !== 'tool_search_requests' && count !== 0,
  );
  return { ...rest, ...(counted.length === 0 ? {} : { server_tool_use: Object.fromEntries(counted) }) };
}

/** Where two answers differ, the first few places. */
export function differences(expected: unknown, got: unknown, path = ''): readonly string[] {
  if (JSON.stringify(expected) === JSON.stringify(got)) return [];
  if (!isContainer(expected) || !isContainer(got) || Array.isArray(expected) !== Array.isArray(got)) {
    return [`${path}: ${shortened(expected)} became ${shortened(got)}`];
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(got)]);
  return [...keys].flatMap((key) => differences(expected[key], got[key], `${path}.${key}`)).slice(0, MOST_DIFFERENCES);
}

const MOST_DIFFERENCES = 12;

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shortened(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200);
}

function withoutSearch(plain: unknown): unknown {
  if (!isRecord(plain)) return plain;
  if (Array.isArray(plain.events) && isRecord(plain.message)) return withoutSearchEvents(plain);
  if (Array.isArray(plain.content)) return withoutSearchContent(plain);
  if (Array.isArray(plain.parts)) return { ...plain, parts: plain.parts.filter((part) => !isSearchPart(part)) };
  if (Array.isArray(plain.chunks)) return { ...plain, chunks: plain.chunks.filter((chunk) => !isSearchChunk(chunk)) };
  return dropSearchParts(plain);
}

/** The Messages API: our search is the first two blocks. */
function withoutSearchEvents(got: Readonly<Record<string, unknown>>): unknown {
  const events = (got.events as readonly unknown[]).flatMap((event) => {
    if (!isRecord(event) || typeof event.index !== 'number') return [event];
    return event.index < 2 ? [] : [{ ...event, index: event.index - 2 }];
  });
  return { ...got, events, message: withoutSearchContent(got.message) };
}

function withoutSearchContent(message: unknown): unknown {
  if (!isRecord(message) || !Array.isArray(message.content)) return message;
  if (message.type === 'message') return { ...message, content: message.content.slice(2) };
  return { ...message, content: message.content.filter((part) => !isSearchPart(part)) };
}

/** The AI SDK: a call that the provider executed. */
function isSearchPart(part: unknown): boolean {
  return isRecord(part) && isRecord(part.providerMetadata) && part.providerMetadata.quartermaster !== undefined;
}

function isSearchChunk(chunk: unknown): boolean {
  const text = JSON.stringify(chunk);
  return text.includes('"toolCall"') || text.includes('"toolResponse"');
}

/** Gemini: a server-side call and its response. */
function dropSearchParts(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((member) => !(isRecord(member) && (member.toolCall !== undefined || member.toolResponse !== undefined)))
      .map(dropSearchParts);
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, dropSearchParts(member)]));
}

/** What a Responses object restates from its request. */
const RESTATED: ReadonlySet<string> = new Set(['tools', 'tool_choice', 'instructions']);

function withoutRequest(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRequest);
  if (!isRecord(value)) return value;
  const isResponse = value.object === 'response';
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      key === 'timestamp' || (isResponse && RESTATED.has(key)) ? [] : [[key, withoutRequest(member)]],
    ),
  );
}

/** Rounds are joined: events are numbered on, a ping stands between two rounds, and an opening chunk goes with its random padding. */
function withoutRounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((member) => !isPing(member)).map(withoutRounds);
  if (!isRecord(value)) return value;
  const { sequence_number: _, obfuscation: __, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, withoutRounds(member)]));
}

function isPing(value: unknown): boolean {
  return isRecord(value) && value.type === 'ping';
}

/** Chunks of Chat say the same however they are cut. */
function foldChunks(value: unknown): unknown {
  if (!isRecord(value) || !Array.isArray(value.chunks)) return value;
  if (!value.chunks.some((chunk) => isRecord(chunk) && Array.isArray(chunk.choices))) return value;
  return value.chunks.reduce((folded: unknown, chunk: unknown) => fold(folded, chunk), {});
}

const STATED: ReadonlySet<string> = new Set([
  ...['id', 'object', 'model', 'role', 'type', 'name', 'finish_reason'],
  ...['service_tier', 'system_fingerprint', 'obfuscation'],
]);

function fold(before: unknown, after: unknown, key = ''): unknown {
  if (before === undefined || before === null) {
    if (Array.isArray(after)) return foldLists([], after);
    return isRecord(after) ? foldRecord({}, after) : after;
  }
  if (after === undefined || after === null) return before;
  if (key === 'created') return before;
  if (typeof before === 'string' && typeof after === 'string' && !STATED.has(key)) return before + after;
  if (Array.isArray(before) && Array.isArray(after)) return foldLists(before, after);
  if (isRecord(before) && isRecord(after)) return foldRecord(before, after);
  return after;
}

function foldRecord(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): unknown {
  const folded: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(after)) {
    const merged = fold(folded[key], value, key);
    if (merged !== null && merged !== '') folded[key] = merged;
  }
  return folded;
}

function foldLists(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const list = [...before];
  for (const given of after) {
    // Where a host does not number its calls, they are numbered for the client.
    const member = isRecord(given) && isRecord(given.function) ? { index: 0, ...given } : given;
    const index = isRecord(member) ? member.index : undefined;
    const known = list.findIndex((one) => isRecord(one) && index !== undefined && one.index === index);
    if (known < 0) list.push(fold(undefined, member));
    else list[known] = fold(list[known], member);
  }
  return list;
}

function canonicalIds(value: unknown): unknown {
  const names = new Map<string, string>();
  collectIds(value, names);
  return renameIds(value, names);
}

const ID_KEYS: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_use_id', 'toolCallId', 'item_id']);

function collectIds(value: unknown, names: Map<string, string>): void {
  if (Array.isArray(value)) for (const member of value) collectIds(member, names);
  if (!isRecord(value)) return;
  // By name: the order of fields says nothing.
  for (const [key, member] of Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (ID_KEYS.has(key) && typeof member === 'string' && member !== '' && !names.has(member))
      names.set(member, `id ${names.size}`);
    collectIds(member, names);
  }
}

function renameIds(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((member) => renameIds(member, names));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renameIds(member, names)]));
}
