import { defined } from '@quartermaster/core/internal';
import type { Whole } from '@quartermaster/core/loop';
import type {
  ChatChoice,
  ChatChunk,
  ChatChunkChoice,
  ChatCompletion,
  ChatMessage,
  ChatToolCall,
  ChatToolCallDelta,
} from './chat-shapes-2026-11.ts';

/** Converts a chat completion to the chunks of an equivalent stream, and back. */
export const chatWhole: Whole<ChatCompletion, ChatChunk> = { toParts, fromParts };

function toParts(response: ChatCompletion): readonly ChatChunk[] {
  const { choices, usage, ...rest } = response;
  const frame = { ...rest, object: 'chat.completion.chunk' };
  const parts: ChatChunk[] = [
    { ...frame, choices: choices.map(toDelta) },
    { ...frame, choices: choices.map(toClosing) },
  ];
  return usage === undefined ? parts : [...parts, { ...frame, choices: [], usage }];
}

function toDelta(choice: ChatChoice): ChatChunkChoice {
  const { message, finish_reason: _, ...rest } = choice;
  const { tool_calls: calls, ...delta } = message;
  const pieces = Array.isArray(calls) ? calls.map(toPiece) : calls;
  return {
    ...rest,
    delta: { ...delta, ...defined({ tool_calls: pieces }) } as ChatChunkChoice['delta'],
    finish_reason: null,
  };
}

/** For a numbered call in a whole response: some hosts number them although only chunks need it. */
const NUMBERED: unique symbol = Symbol('numbered');

function toPiece(call: ChatToolCall, index: number): ChatToolCallDelta {
  return Object.hasOwn(call, 'index') ? { ...call, index, [NUMBERED]: true } : { ...call, index };
}

function toClosing(choice: ChatChoice): ChatChunkChoice {
  return { index: choice.index, delta: {}, finish_reason: choice.finish_reason ?? null };
}

function fromParts(parts: readonly ChatChunk[]): ChatCompletion {
  const choices = new Map<number, ChatChoice>();
  let frame: Omit<ChatChunk, 'choices'> = {};
  for (const part of parts) {
    const { choices: pieces, ...rest } = part;
    frame = { ...frame, ...rest };
    for (const piece of pieces ?? []) choices.set(piece.index, addPiece(choices.get(piece.index), piece));
  }
  return {
    ...frame,
    object: 'chat.completion',
    choices: [...choices.values()].sort((left, right) => left.index - right.index).map(withContent),
  };
}

/** A message without any content says so. */
function withContent(choice: ChatChoice): ChatChoice {
  const isSilent = Object.keys(choice.message).every((key) => key === 'role');
  return isSilent ? { ...choice, message: { ...choice.message, content: null } } : choice;
}

function addPiece(before: ChatChoice | undefined, piece: ChatChunkChoice): ChatChoice {
  const { delta, ...rest } = piece;
  const { tool_calls: deltas, ...said } = delta ?? {};
  const { message: known, ...choice } = before ?? { index: piece.index, message: { role: 'assistant' } };
  const { tool_calls: calls, ...message } = known;
  const merged = (deltas ?? []).reduce(addCall, Array.isArray(calls) ? calls : []);
  const none =
    deltas === undefined && calls === undefined
      ? {}
      : { tool_calls: ((deltas === undefined ? calls : deltas) as ChatMessage['tool_calls']) ?? null };
  return {
    ...choice,
    ...mergeDelta(choice, rest),
    index: piece.index,
    message: {
      role: 'assistant',
      ...mergeDelta(message, said),
      ...(merged.length === 0 ? none : { tool_calls: merged }),
    },
    finish_reason: piece.finish_reason ?? before?.finish_reason ?? null,
  };
}

function addCall(calls: readonly ChatToolCall[], delta: ChatToolCallDelta): readonly ChatToolCall[] {
  const { index = calls.length, ...rest } = delta;
  const known = calls[index];
  const numbered = NUMBERED in rest ? { index } : {};
  const merged = mergeDelta(known ?? {}, { ...rest, ...numbered }) as unknown as ChatToolCall;
  return known === undefined ? [...calls, merged] : calls.with(index, merged);
}

/** Fields that identify something: a later value replaces the earlier one. */
const STATED: ReadonlySet<string> = new Set('role type id name index signature format expires_at'.split(' '));

/**
 * Folds one delta into the previous ones: texts continue, lists grow, objects are merged, and everything else is replaced. Unknown
 * fields (reasoning of other hosts) fold by the same rule.
 */
export function mergeDelta(
  before: Readonly<Record<string, unknown>>,
  delta: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  // Our marks, which are not enumerable, stay too.
  const marks = Object.getOwnPropertySymbols(delta).map((mark) => [mark, Reflect.get(delta, mark)]);
  const merged: Record<string, unknown> = { ...before, ...Object.fromEntries(marks) };
  for (const [key, value] of Object.entries(delta)) {
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined;
    // Defined, not assigned: `__proto__` is a field like any other.
    Object.defineProperty(merged, key, {
      value: mergeValue(key, known, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}

function mergeValue(key: string, known: unknown, value: unknown): unknown {
  if (known === undefined || known === null) return value;
  if (value === undefined || value === null) return known;
  if (typeof known === 'string' && typeof value === 'string') return STATED.has(key) ? value : known + value;
  if (Array.isArray(known) && Array.isArray(value)) return [...known, ...value];
  if (isRecord(known) && isRecord(value)) return mergeDelta(known, value);
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
