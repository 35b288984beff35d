import {
  type Call,
  type Ending,
  type JsonObject,
  type Plan,
  type Resolved,
  type Step,
  uniqueIds,
  type Writer,
} from '@quartermaster/core';
import { clientName } from '../internal/client-names.ts';
import { sumUsage } from '../internal/sum-usage.ts';
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
import { mergeDelta } from './merge-delta.ts';
import type { HeldChatCall } from './reader.ts';
import { relaxToolChoice } from './tool-choice.ts';

/**
 * Writes one response over all rounds: one id, one role, running indexes, summed usage. Rounds in which tools were searched
 * for are not shown; their text is, each on a paragraph of its own.
 */
export function createWriter(request: ChatRequest, plan: Plan): Writer<ChatRequest, ChatChunk> {
  const unique = uniqueIds({ taken: idsIn(request.messages), prefix: 'call_' });
  const text = paragraphs();
  const hidden: ChatMessage[] = [];
  let frame: ChatChunk | undefined;
  let isOpen = false;
  let callCount = 0;
  let usage: JsonObject | undefined;
  let closing: ChatChunk | undefined;
  let round = newRound();

  const framed = (part: ChatChunk): ChatChunk => {
    const { choices: _, usage: __, ...rest } = part;
    // A call that waited for the end of its round comes without a frame.
    if (frame === undefined && rest.id !== undefined) frame = rest;
    const { id, created, object }: ChatChunk = frame ?? {};
    return {
      ...(frame ?? {}),
      ...part,
      ...(id === undefined ? {} : { id }),
      ...(created === undefined ? {} : { created }),
      object: typeof object === 'string' ? object : 'chat.completion.chunk',
    };
  };
  const chunk = (delta: ChatDelta): ChatChunk => framed({ choices: [{ index: 0, delta, finish_reason: null }] });
  const open = (delta: ChatDelta): ChatDelta => {
    const { role, ...rest } = delta;
    if (isOpen) return rest;
    isOpen = true;
    return { role: role ?? 'assistant', ...rest };
  };
  const start = (delta: ChatToolCallDelta): ChatToolCallDelta & { readonly index: number } => {
    const index = callCount;
    callCount += 1;
    const named = plan.kind === 'inline' ? delta : withClientName(delta, plan);
    return { type: 'function', ...named, index, id: unique(delta.id ?? `call_${index}`) };
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
      const delta: ChatDelta = {
        ...open(typeof rest.content === 'string' ? { ...rest, content: text.next(rest.content) } : rest),
        ...(calls === undefined ? {} : { tool_calls: calls.map(renumber) }),
      };
      if (isNothing(delta)) return [];
      return [framed({ ...part, choices: [{ ...choice, delta }, ...others] })];
    },
    close(part) {
      if (part.usage !== undefined && part.usage !== null) round.usage = part.usage;
      if (part.choices?.[0] !== undefined) closing = part;
      framed(part);
    },
    hold: () => (isOpen ? [] : [chunk(open({ content: null }))]),
    answer(steps) {
      round.steps = steps;
      return steps.flatMap((step) => {
        if (step.kind === 'answer') return [];
        return step.calls.map((call, index) => {
          const source = index === 0 ? sourceOf(step.call) : undefined;
          return chunk(open({ tool_calls: [start(toDelta(call, source))] }));
        });
      });
    },
    extend() {
      const answered = round.steps.flatMap((step) =>
        step.kind === 'answer' ? [{ step, id: unique(step.call.id) }] : [],
      );
      hidden.push(
        { role: 'assistant', content: null, ...round.message, tool_calls: answered.map(toToolCall) },
        ...answered.map(({ step, id }) => ({ role: 'tool', tool_call_id: id, content: step.text })),
      );
      usage = sumUsage(usage, round.usage);
      round = newRound();
      text.break();
      const { tool_choice: choice } = request;
      return {
        ...request,
        ...(choice === undefined || plan.kind === 'inline' ? {} : { tool_choice: relaxToolChoice(choice, plan) }),
        messages: [...request.messages, ...hidden],
      };
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
      return [...first, bare, framed({ choices: [], usage: total })];
    },
  };
}

interface Round {
  /** From the reader's number of a call to the client's. */
  readonly passed: Map<number, number>;
  /** What the model wrote besides calls. */
  message: Readonly<Record<string, unknown>>;
  steps: readonly Step[];
  usage: JsonObject | undefined;
}

function newRound(): Round {
  return { passed: new Map(), message: {}, steps: [], usage: undefined };
}

/** One text over all rounds: what a later round writes begins a paragraph. */
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

/** What is left of a later round's first chunk once its role is gone. */
function isNothing(delta: ChatDelta): boolean {
  return Object.values(delta).every((value) => value === null || value === undefined || value === '');
}

/** A limit that was met is told as such even where calls wait. A round limit is one too: this API has no pause. */
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

function toToolCall(answered: { readonly step: Step; readonly id: string }): ChatToolCall {
  const { call } = answered.step;
  const source = sourceOf(call);
  if (source !== undefined) return { ...source, id: answered.id };
  const arguments_ = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
  return { id: answered.id, type: 'function', function: { name: call.name, arguments: arguments_ } };
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
