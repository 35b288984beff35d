import type { Call, Plan } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Resolved } from '@quartermaster/core/dispatch';
import { remainingTokens, sumUsage } from '@quartermaster/core/internal';
import { type Ending, type Slot, uniqueIds, type Writer } from '@quartermaster/core/loop';
import { relaxToolChoice } from '../internal/forced-search.ts';
import { clientName } from '../internal/shown-tools.ts';
import {
  type ChatChunk,
  type ChatDelta,
  type ChatMessage,
  type ChatRequest,
  type ChatToolCall,
  type ChatToolCallDelta,
  callsOf,
  nameOf,
} from './chat-shapes-2026-11.ts';
import { type ChatRound, hiddenContent, roundMessages } from './chat-transcript.ts';
import type { HeldChatCall } from './reader.ts';
import { forcedName } from './tool-choice.ts';
import { mergeDelta } from './whole.ts';

/**
 * Writes one response over all rounds: one id, one role, consecutive indexes, summed usage. Rounds with searches
 * are not shown; their text is, each in a separate paragraph.
 */
export function createWriter(request: ChatRequest, plan: Plan): Writer<ChatRequest, ChatChunk> {
  const unique = uniqueIds({ taken: idsIn(request.messages), prefix: 'call_' });
  const text = paragraphs();
  const rounds: ChatRound[] = [];
  const callIds: string[] = [];
  let shownText = '';
  let frame: ChatChunk = {};
  let isFirstRound = true;
  let isOpen = false;
  let callCount = 0;
  let usage: JsonObject | undefined;
  let closing: ChatChunk | undefined;
  /** The host's separate chunk for usage, if it sends one. */
  let counting: ChatChunk | undefined;
  let round = new Round();

  /** The first round's fields are the response's; a host's own fields stay with their chunk. */
  const framed = (part: ChatChunk): ChatChunk => {
    if (isFirstRound && part.id !== undefined) {
      frame = { ...frameOf(part), ...frame };
      return part;
    }
    return { object: 'chat.completion.chunk', ...part, ...frame };
  };
  const chunk = (delta: ChatDelta): ChatChunk => framed({ choices: [{ index: 0, delta, finish_reason: null }] });
  const open = (delta: ChatDelta): ChatDelta => {
    const { role, ...rest } = delta;
    if (isOpen) return rest;
    isOpen = true;
    return { role: role ?? 'assistant', ...rest };
  };
  const start = (delta: ChatToolCallDelta): ChatToolCallDelta & { readonly index: number; readonly id: string } => {
    const index = callCount;
    callCount += 1;
    const named = plan.kind === 'inline' ? delta : withClientName(delta, plan);
    const id = unique(delta.id ?? `call_${index}`);
    callIds.push(id);
    round.calls.push({ shown: id });
    return { ...named, index, id };
  };
  const renumber = (delta: ChatToolCallDelta): ChatToolCallDelta => {
    const known = round.passed.get(delta.index ?? 0);
    if (known !== undefined) return { ...delta, index: known };
    const started = start(delta);
    round.passed.set(delta.index ?? 0, started.index);
    return started;
  };

  return {
    forward(part) {
      const [choice, ...others] = part.choices ?? [];
      if (choice === undefined) return [part.id === undefined ? part : framed(part)];
      const { tool_calls: calls, ...rest } = choice.delta;
      round.message = mergeDelta(round.message, rest);
      const content = typeof rest.content === 'string' ? text.next(rest.content) : undefined;
      shownText += content ?? '';
      const delta: ChatDelta = {
        ...open(content === undefined ? rest : { ...rest, content }),
        ...(calls === undefined ? {} : { tool_calls: calls?.map(renumber) ?? null }),
      };
      if (isNothing(delta) && isPlain(part)) return [];
      return [framed({ ...part, choices: [{ ...choice, delta }, ...others] })];
    },
    close(part) {
      if (part.usage !== undefined && part.usage !== null) round.usage = part.usage;
      if (part.choices?.[0] !== undefined) closing = part;
      else counting = part;
      framed(part);
    },
    hold: () => (isOpen ? [] : [chunk(open({ content: null }))]),
    deliver(step) {
      if (step.kind === 'calls') {
        return step.calls.map((call, index) =>
          chunk(open({ tool_calls: [start(toDelta(call, index === 0 ? sourceOf(step.call) : undefined))] })),
        );
      }
      const id = unique(step.call.id);
      round.calls.push({ hidden: toToolCall(step.call, id) as unknown as JsonObject });
      round.answers[id] = step.text;
      return [];
    },
    answer: () => [],
    extend() {
      rounds.push(written(round));
      usage = sumUsage(usage, round.usage);
      round = new Round();
      isFirstRound = false;
      text.break();
      const { tool_choice: choice } = request;
      return {
        ...request,
        ...(choice === undefined || plan.kind === 'inline'
          ? {}
          : { tool_choice: relaxToolChoice(choice, forcedName(choice), plan) }),
        ...tokensLeft(request, usage),
        messages: [...request.messages, ...rounds.flatMap(roundMessages)],
      };
    },
    hidden() {
      return hiddenContent({ text: shownText, callIds, rounds, last: written(round) });
    },
    finish(ending) {
      const total = sumUsage(usage, round.usage);
      const first = isOpen ? [] : [chunk(open({ content: null }))];
      const [choice] = closing?.choices ?? [];
      const reason = finishReason(ending, choice?.finish_reason ?? null);
      const last = framed({
        ...closing,
        choices: [{ index: 0, ...choice, delta: {}, finish_reason: reason }],
      });
      const { usage: _, ...bare } = last;
      if (total === undefined) return [...first, bare];
      if (request.stream_options?.include_usage !== true) return [...first, { ...bare, usage: total }];
      return [...first, bare, framed({ ...counting, choices: [], usage: total })];
    },
  };
}

/** The field that the client set its limit in. */
function tokensLeft(request: ChatRequest, usage: JsonObject | undefined): Partial<ChatRequest> {
  const names = ['max_tokens', 'max_completion_tokens'] as const;
  const left = names.map((name) => [name, remainingTokens(request[name], usage?.completion_tokens)] as const);
  return Object.fromEntries(left.filter(([, tokens]) => tokens !== undefined));
}

/** The fields that identify a chunk's response. An id may be empty first, and filled later. */
function frameOf({ id, object, created, model }: ChatChunk): ChatChunk {
  const given = Object.entries({ id, object, created, model });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== '' && value !== 0));
}

/** What one round of the upstream has written. */
class Round {
  /** From the reader's number of a call to the client's. */
  readonly passed: Map<number, number> = new Map();
  /** What the model wrote besides calls. */
  message: Readonly<Record<string, unknown>> = {};
  /** All calls in the model's order. */
  readonly calls: Slot[] = [];
  /** The answers to those that the client does not see, by id. */
  readonly answers: Record<string, string> = {};
  usage: JsonObject | undefined;
}

function written({ message, calls, answers }: Round): ChatRound {
  return { message: message as JsonObject, calls, answers };
}

/** One text over all rounds: each later round starts a paragraph. */
function paragraphs(): { next(piece: string): string; break(): void } {
  let hasText = false;
  let isBroken = false;
  return {
    next(piece) {
      if (piece === '') return piece;
      const separator = isBroken && hasText ? '\n\n' : '';
      hasText = true;
      isBroken = false;
      return `${separator}${piece}`;
    },
    break() {
      isBroken = true;
    },
  };
}

/** The rest of a later round's first chunk without its role. */
function isNothing(delta: ChatDelta): boolean {
  return Object.values(delta).every((value) => value === null || value === undefined || value === '');
}

/** Whether a chunk has anything besides its choices, such as a host's own figures. */
function isPlain(part: ChatChunk): boolean {
  return Object.keys(part).every((key) => PLAIN.has(key));
}

const PLAIN: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage'],
  ...['system_fingerprint', 'service_tier', 'obfuscation', 'provider'],
]);

/** A reached limit is reported as such even if calls wait. So is the round limit: this API has no pause. */
function finishReason(ending: Ending, reason: string | null): string | null {
  if (ending === 'pause') return 'length';
  if (ending === 'done') return reason === 'tool_calls' ? 'stop' : reason;
  return reason === 'length' || reason === 'content_filter' || reason === 'function_call' ? reason : 'tool_calls';
}

function withClientName(delta: ChatToolCallDelta, plan: Plan): ChatToolCallDelta {
  const name = nameOf(delta);
  if (name === undefined) return delta;
  const known = clientName(plan.snapshot, name);
  if (known === name) return delta;
  if (delta.function !== undefined) return { ...delta, function: { ...delta.function, name: known } };
  return { ...delta, custom: { ...delta.custom, name: known } };
}

function toDelta(call: Resolved, source: ChatToolCall | undefined): ChatToolCallDelta {
  const { function: _, custom: __, ...rest } = source ?? { id: call.id };
  if (call.tool.extras.freeform === true) {
    const { input } = call.arguments;
    const text = typeof input === 'string' ? input : JSON.stringify(input ?? '');
    return { ...rest, id: call.id, type: 'custom', custom: { name: call.name, input: text } };
  }
  const arguments_ = JSON.stringify(call.arguments);
  return { ...rest, id: call.id, type: 'function', function: { name: call.name, arguments: arguments_ } };
}

function toToolCall(call: Call, id: string): ChatToolCall {
  const source = sourceOf(call);
  if (source !== undefined) return { ...source, id };
  const arguments_ = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
  return { id, type: 'function', function: { name: call.name, arguments: arguments_ } };
}

function sourceOf(call: Call & Partial<HeldChatCall>): ChatToolCall | undefined {
  return call.source;
}

function idsIn(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap((message) => [
    ...callsOf(message).map((call) => call.id),
    ...(typeof message.tool_call_id === 'string' ? [message.tool_call_id] : []),
  ]);
}
