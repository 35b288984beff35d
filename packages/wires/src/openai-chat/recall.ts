import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { type DeferPlan, type Fact, type Own, readTold, remember } from '@quartermaster/core/disclosure';
import { parseArguments } from '@quartermaster/core/dispatch';
import { readQueries } from '@quartermaster/core/internal';
import { modelName } from '../internal/shown-tools.ts';
import {
  type ChatMessage,
  type ChatRequest,
  type ChatToolCall,
  callsOf,
  nameOf,
  referencesIn,
  textOf,
} from './chat-shapes-2026-11.ts';
import { forcedName } from './tool-choice.ts';

/**
 * What the messages have revealed: what was called, and what was found in the searches that the transcript has restored. Without
 * a transcript, a chat client's messages contain only calls.
 */
export function recallRequest(request: ChatRequest, plan: Plan): Memory {
  if (plan.kind === 'inline') return EMPTY_MEMORY;
  const forced = forcedName(request.tool_choice);
  // Last, so that everything before it in the list stays in place.
  const last: readonly Fact[] = forced === undefined ? [] : [{ kind: 'revealed', names: known(plan, forced) }];
  return [...factsIn(request.messages, plan), ...last].reduce(remember, EMPTY_MEMORY);
}

/** The role of a call to one of our tools. */
export function roleOf(plan: DeferPlan, call: ChatToolCall): Own['role'] | undefined {
  const name = nameOf(call);
  return plan.own.find((own) => own.name === name)?.role;
}

/** A call's arguments: JSON for a function, the single field `input` for a custom tool. */
export function argumentsOf(call: ChatToolCall): unknown {
  if (call.function === undefined) return { input: call.custom?.input ?? '' };
  return parseArguments(call.function.arguments) ?? call.function.arguments;
}

function factsIn(messages: readonly ChatMessage[], plan: DeferPlan): readonly Fact[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'user') return [{ kind: 'asked' }];
    if (message.role === 'tool') {
      const names = referencesIn(message).map((name) => modelName(plan.snapshot, name));
      return names.length === 0 ? [] : [{ kind: 'revealed', names }];
    }
    if (message.role !== 'assistant') return [];
    return callsOf(message).flatMap((call) => factsOf(call, { plan, answer: answerTo(call.id, messages, index) }));
  });
}

function factsOf(call: ChatToolCall, context: { plan: DeferPlan; answer: string | undefined }): readonly Fact[] {
  const { plan, answer } = context;
  const role = roleOf(plan, call);
  switch (role) {
    case undefined:
      return [{ kind: 'called', name: modelName(plan.snapshot, nameOf(call) ?? '') }];
    case 'search':
      if (answer === undefined) return [];
      return [{ kind: 'searched', queries: readQueries(argumentsOf(call)), names: readTold(answer) }];
    case 'describe':
      return answer === undefined ? [] : [{ kind: 'revealed', names: readTold(answer) }];
    case 'call':
      // An accepted call is in the history under the real name; this one was refused.
      return [];
  }
}

/** The text that answers a call, among the results right after its message. */
function answerTo(id: string, messages: readonly ChatMessage[], index: number): string | undefined {
  for (let next = index + 1; messages[next]?.role === 'tool'; next += 1) {
    const message = messages[next];
    if (message?.tool_call_id === id) return textOf(message);
  }
  return undefined;
}

/** A tool that the model is forced to call must be declared in full, found or not. */
function known(plan: DeferPlan, forced: string): readonly string[] {
  const name = modelName(plan.snapshot, forced);
  return plan.deferred.has(name) ? [name] : [];
}
