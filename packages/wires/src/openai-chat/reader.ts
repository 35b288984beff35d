import type { Call } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { parseArguments } from '@quartermaster/core/dispatch';
import type { Read, Reader } from '@quartermaster/core/loop';
import {
  type ChatChunk,
  type ChatChunkChoice,
  type ChatToolCall,
  type ChatToolCallDelta,
  nameOf,
} from './chat-shapes-2026-11.ts';
import { mergeDelta } from './whole.ts';

/** A held call with the bytes that the model wrote, and with what its host attached to it (a thought's signature). */
export interface HeldChatCall extends Call {
  readonly source: ChatToolCall;
}

/**
 * Reads one round. Calls are distinguished by their index or, because hosts leave it out or repeat it, by their id. The first call is
 * streamed if it is forwarded; the others follow whole at the end, in the model's order, so that a client has one open call at a time.
 */
export function createReader(holds: (name: string) => boolean): Reader<ChatChunk> {
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  let passedCount = 0;
  let reason: string | undefined;
  let hasLegacyCall = false;

  const find = (delta: ChatToolCallDelta): OpenCall => {
    const index = delta.index ?? calls.at(-1)?.index ?? 0;
    const known = byIndex.get(index);
    const isOther = isText(delta.id) && isText(known?.delta.id) && delta.id !== known?.delta.id;
    if (known !== undefined && !(isOther && nameOf(delta) !== undefined)) return known;
    const call: OpenCall = { index, delta: {}, fate: 'unknown', order: -1 };
    calls.push(call);
    byIndex.set(index, call);
    return call;
  };

  /** The part of a delta that goes to the client now. */
  const take = (delta: ChatToolCallDelta, reads: Read<ChatChunk>[]): readonly ChatToolCallDelta[] => {
    const call = find(delta);
    call.delta = mergeCall(call.delta, delta);
    const name = nameOf(call.delta);
    if (call.fate === 'live') return [{ ...continuation(delta), index: call.order }];
    if (call.fate !== 'unknown' || name === undefined) return [];
    if (holds(name)) {
      call.fate = 'held';
      return [];
    }
    reads.push({ kind: 'passed', name });
    call.fate = call === calls[0] ? 'live' : 'waiting';
    call.order = passedCount;
    passedCount += 1;
    return call.fate === 'live' ? [{ ...call.delta, index: call.order }] : [];
  };

  return {
    read(chunk) {
      const reads: Read<ChatChunk>[] = [];
      const [choice] = chunk.choices ?? [];
      if (choice === undefined) {
        return [isUsage(chunk) ? { kind: 'close', part: chunk } : { kind: 'forward', part: chunk }];
      }
      const { tool_calls: deltas, ...rest } = choice.delta ?? {};
      const passed = (deltas ?? []).flatMap((delta) => take(delta, reads));
      if (rest.function_call !== undefined && !hasLegacyCall) {
        hasLegacyCall = true;
        reads.push({ kind: 'passed', name: 'function_call' });
      }
      const none = deltas === null || deltas?.length === 0 ? { tool_calls: deltas } : {};
      const delta = { ...rest, ...(passed.length > 0 ? { tool_calls: passed } : none) };
      if (Object.keys(delta).length > 0) reads.push({ kind: 'forward', part: onlyDelta(chunk, choice, delta) });
      if (isText(choice.finish_reason)) reason = choice.finish_reason;
      if (isText(choice.finish_reason) || isUsage(chunk))
        reads.push({ kind: 'close', part: withoutDelta(chunk, choice) });
      return reads;
    },
    end() {
      const isCut = reason === undefined || reason === 'length' || reason === 'content_filter';
      let heldCount = 0;
      return calls.flatMap((call): readonly Read<ChatChunk>[] => {
        if (call.fate === 'waiting') {
          const delta = { tool_calls: [{ ...call.delta, index: call.order }] };
          return [{ kind: 'forward', part: { choices: [{ index: 0, delta, finish_reason: null }] } }];
        }
        if (call.fate !== 'held') return [];
        heldCount += 1;
        // Only the last call can be cut: the model continued after the others.
        return [toHeld(call, { order: heldCount - 1, isCut: isCut && call === calls.at(-1) })];
      });
    },
  };
}

interface OpenCall {
  readonly index: number;
  /** Everything so far. */
  delta: ChatToolCallDelta;
  /** `live`: streamed as it arrives. `waiting`: forwarded once the round ends. */
  fate: 'unknown' | 'held' | 'live' | 'waiting';
  /** Its index among the forwarded calls, from 0. */
  order: number;
}

/** Some hosts repeat id and name in every piece: they are sent once, then only the text. */
function mergeCall(before: ChatToolCallDelta, delta: ChatToolCallDelta): ChatToolCallDelta {
  const { index: _, ...rest } = delta;
  return mergeDelta(before, rest);
}

function continuation(delta: ChatToolCallDelta): ChatToolCallDelta {
  const { id: _, type: __, ...rest } = delta;
  if (isJsonObject(rest.function)) return { ...rest, function: withoutName(rest.function) };
  return isJsonObject(rest.custom) ? { ...rest, custom: withoutName(rest.custom) } : rest;
}

function withoutName<Inner extends { readonly name?: string }>(inner: Inner): Omit<Inner, 'name'> {
  const { name: _, ...rest } = inner;
  return rest;
}

function toHeld(
  call: OpenCall,
  { order, isCut }: { readonly order: number; readonly isCut: boolean },
): Read<ChatChunk> {
  const name = nameOf(call.delta) ?? '';
  const source = toSource(call.delta, order);
  const text = source.function?.arguments;
  const parsed = text === undefined ? { input: source.custom?.input ?? '' } : parseArguments(text);
  if (parsed === undefined && isCut) return { kind: 'cut', name };
  const held: HeldChatCall = { id: source.id, name, arguments: parsed ?? text, source };
  return { kind: 'held', call: held };
}

function toSource(delta: ChatToolCallDelta, order: number): ChatToolCall {
  const { function: inner, custom, ...rest } = delta;
  const id = isText(delta.id) ? delta.id : `call_${order}`;
  const name = nameOf(delta) ?? '';
  if (custom !== undefined)
    return { ...rest, id, type: 'custom', custom: { ...custom, name, input: custom.input ?? '' } };
  return { ...rest, id, type: 'function', function: { ...inner, name, arguments: inner?.arguments ?? '' } };
}

function onlyDelta(chunk: ChatChunk, choice: ChatChunkChoice, delta: ChatChunkChoice['delta']): ChatChunk {
  const { usage: _, ...rest } = chunk;
  return { ...rest, choices: [{ ...choice, delta, finish_reason: null }] };
}

/** A closing chunk's own fields stay (a filter's verdict, a stop sequence); its log probabilities went with the delta. */
function withoutDelta(chunk: ChatChunk, choice: ChatChunkChoice): ChatChunk {
  const closing = { ...choice, delta: {}, ...(choice.logprobs === undefined ? {} : { logprobs: null }) };
  return { ...chunk, choices: isText(choice.finish_reason) ? [closing] : [] };
}

function isUsage(chunk: ChatChunk): boolean {
  return chunk.usage !== undefined && chunk.usage !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
