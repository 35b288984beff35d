import type { Whole } from '@quartermaster/core';
import type {
  ChatChoice,
  ChatChunk,
  ChatChunkChoice,
  ChatCompletion,
  ChatToolCall,
  ChatToolCallDelta,
} from './chat-shapes-2026-11.ts';
import { mergeDelta } from './merge-delta.ts';

/** A chat completion as the chunks that a stream would have brought, and back. */
export const chatWhole: Whole<ChatCompletion, ChatChunk> = { apart, together };

function apart(response: ChatCompletion): readonly ChatChunk[] {
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
  const pieces = Array.isArray(calls) ? calls.map((call, index) => ({ index, ...call })) : undefined;
  return {
    ...rest,
    delta: { ...delta, ...(pieces === undefined ? {} : { tool_calls: pieces }) } as ChatChunkChoice['delta'],
    finish_reason: null,
  };
}

function toClosing(choice: ChatChoice): ChatChunkChoice {
  return { index: choice.index, delta: {}, finish_reason: choice.finish_reason ?? null };
}

function together(parts: readonly ChatChunk[]): ChatCompletion {
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
    choices: [...choices.values()].sort((left, right) => left.index - right.index),
  };
}

function addPiece(before: ChatChoice | undefined, piece: ChatChunkChoice): ChatChoice {
  const { delta, ...rest } = piece;
  const { tool_calls: deltas, ...said } = delta ?? {};
  const { message: known, ...choice } = before ?? { index: piece.index, message: { role: 'assistant', content: null } };
  const { tool_calls: calls, ...message } = known;
  const merged = (deltas ?? []).reduce(addCall, Array.isArray(calls) ? calls : []);
  return {
    ...choice,
    ...mergeDelta(choice, rest),
    index: piece.index,
    message: {
      role: 'assistant',
      ...mergeDelta(message, said),
      ...(merged.length === 0 ? {} : { tool_calls: merged }),
    },
    finish_reason: piece.finish_reason ?? before?.finish_reason ?? null,
  };
}

function addCall(calls: readonly ChatToolCall[], delta: ChatToolCallDelta): readonly ChatToolCall[] {
  const { index = calls.length, ...rest } = delta;
  const known = calls[index];
  const merged = mergeDelta(known ?? {}, rest) as ChatToolCall;
  return known === undefined ? [...calls, merged] : calls.with(index, merged);
}
