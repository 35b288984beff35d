import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { type HiddenContent, readSlots, type Slot, type WireTranscript, weaveSlots } from '@quartermaster/core/loop';
import {
  type ChatMessage,
  type ChatRequest,
  type ChatToolCall,
  callsOf,
  resultsAfter,
  textOf,
} from './chat-shapes-2026-11.ts';
import { mergeDelta } from './whole.ts';

/** One round of a response, as the model wrote it. */
export interface ChatRound {
  /** What it wrote besides calls. */
  readonly message: JsonObject;
  readonly calls: readonly Slot[];
  /** The answers to its hidden calls, by their ids. */
  readonly answers: Readonly<Record<string, string>>;
}

/** A round that was answered within the response, as messages. */
export function roundMessages({ message, calls, answers }: ChatRound): readonly ChatMessage[] {
  const made = calls.flatMap((slot) => ('hidden' in slot ? [slot.hidden as unknown as ChatToolCall] : []));
  return [
    { role: 'assistant', content: null, ...message, tool_calls: made },
    ...made.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: answers[id] ?? '' })),
  ];
}

/** What to keep of a response: the rounds before the last, which the client did not see, and the last one. */
export function hiddenContent(response: {
  /** The text that the client was sent, over all rounds. */
  readonly text: string;
  /** The calls that the client was sent, in its order. */
  readonly callIds: readonly string[];
  readonly rounds: readonly ChatRound[];
  readonly last: ChatRound;
}): HiddenContent | undefined {
  const { text, callIds, rounds, last } = response;
  const isSame = last.calls.every((slot, index) => 'shown' in slot && slot.shown === callIds[index]);
  if (rounds.length === 0 && isSame) return undefined;
  return {
    shown: [{ ids: callIds, text }],
    calls: [...rounds, last].flatMap(({ answers }) => Object.keys(answers)),
    content: { text, rounds, last: { ...last, message: shareOfLast(last, rounds) } } as unknown as JsonObject,
  };
}

/** The transcript of a dialect in which a response is one message: a text, and calls. */
export const chatTranscript: WireTranscript<ChatRequest> = {
  version: 1,
  pieces: ({ messages }) =>
    messages.map((message) => {
      switch (message.role) {
        case 'assistant':
          return { by: 'model', ids: callsOf(message).map((call) => call.id), text: textOf(message) };
        case 'user':
          return { by: 'client', text: textOf(message) };
        case 'tool':
          // Clients cut and reorder results: they don't identify a conversation.
          return { by: 'client', text: '' };
        default:
          return { by: 'none' };
      }
    }),
  weave(request, entries) {
    const found = new Map(entries.flatMap((entry) => entry.pieces.map((index) => [index, entry] as const)));
    const { messages } = request;
    const woven: ChatMessage[] = [];
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index];
      const entry = found.get(index);
      if (message === undefined) continue;
      if (entry === undefined || entry.isAfter) {
        woven.push(message, ...(entry === undefined ? [] : weaveResponse(NOTHING, [], entry.content)));
        continue;
      }
      const results = resultsAfter(messages, index);
      woven.push(...weaveResponse(message, results, entry.content));
      index += results.length;
    }
    return { ...request, messages: woven };
  },
};

/** Replaces a message that the client dropped because it was empty. */
const NOTHING: ChatMessage = { role: 'assistant', content: null };

/** One of the client's messages and its results, as the rounds that they consisted of. */
function weaveResponse(
  message: ChatMessage,
  results: readonly ChatMessage[],
  content: JsonObject,
): readonly ChatMessage[] {
  const rounds = (Array.isArray(content.rounds) ? content.rounds : []).map(readRound);
  const last = readRound(content.last);
  // A text that the client has changed can't be split: it stays whole, in the last round.
  const isSameText = textOf(message) === content.text;
  const before = isSameText ? rounds : rounds.map((round) => ({ ...round, message: withoutContent(round.message) }));
  const { tool_calls: _, ...rest } = message;
  const own = withoutEarlier(rest, rounds, last);
  const spoken = isSameText && rounds.length > 0 ? withContent(own, last.message.content) : own;
  const calls = weaveSlots(last.calls, callsOf(message), (call) => call.id) as readonly ChatToolCall[];
  const isSilent = calls.length === 0 && textOf(spoken) === '';
  return [
    ...before.flatMap(roundMessages),
    ...(isSilent ? [] : [calls.length === 0 ? spoken : { ...spoken, tool_calls: calls }]),
    ...inOrder(calls, results, last.answers),
  ];
}

/** Results in the order of their calls, then those that answer none. */
function inOrder(
  calls: readonly ChatToolCall[],
  results: readonly ChatMessage[],
  answers: ChatRound['answers'],
): readonly ChatMessage[] {
  const left = new Set(results);
  const ordered = calls.flatMap(({ id }): readonly ChatMessage[] => {
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
    if (answer !== undefined) return [{ role: 'tool', tool_call_id: id, content: answer }];
    const given = [...left].find((result) => result.tool_call_id === id);
    if (given === undefined) return [];
    left.delete(given);
    return [given];
  });
  return [...ordered, ...left];
}

function readRound(value: unknown): ChatRound {
  const round = isJsonObject(value) ? value : {};
  const answers = isJsonObject(round.answers) ? Object.entries(round.answers) : [];
  return {
    message: isJsonObject(round.message) ? round.message : {},
    calls: readSlots(round.calls),
    answers: Object.fromEntries(answers.flatMap(([id, text]) => (typeof text === 'string' ? [[id, text]] : []))),
  };
}

/** What the last round wrote of the fields that the client got as one over all rounds: its text, and what earlier rounds have too. */
function shareOfLast({ message }: ChatRound, rounds: readonly ChatRound[]): JsonObject {
  const isShared = (key: string): boolean => rounds.some((round) => Object.hasOwn(round.message, key));
  return Object.fromEntries(
    Object.entries(message).filter(([key, value]) => (key === 'content' ? typeof value === 'string' : isShared(key))),
  );
}

/**
 * The client's message with only the last round's share of each field that the client got as one: of reasoning, for example, which
 * the restored rounds have. What the client has changed stays as it is.
 */
function withoutEarlier(message: ChatMessage, rounds: readonly ChatRound[], last: ChatRound): ChatMessage {
  if (rounds.length === 0) return message;
  const earlier = rounds.reduce<Record<string, unknown>>((merged, round) => mergeDelta(merged, round.message), {});
  const whole = mergeDelta(earlier, last.message);
  return Object.fromEntries(
    Object.entries(message).flatMap(([key, value]) => {
      const isWhole = Object.hasOwn(earlier, key) && JSON.stringify(value) === JSON.stringify(whole[key]);
      if (!isWhole || key === 'role' || key === 'content') return [[key, value]];
      return Object.hasOwn(last.message, key) ? [[key, last.message[key]]] : [];
    }),
  ) as unknown as ChatMessage;
}

function withoutContent({ content: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** The message with the last round's share of its text, in the client's format. */
function withContent(message: ChatMessage, text: unknown): ChatMessage {
  const content = typeof text === 'string' && text !== '' ? text : null;
  const [only, ...more] = Array.isArray(message.content) ? message.content : [];
  const isPart = isJsonObject(only) && more.length === 0 && content !== null;
  return { ...message, content: isPart ? [{ ...only, text: content }] : content };
}
