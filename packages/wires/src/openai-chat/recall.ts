import { EMPTY_MEMORY, type Memory, type Plan } from '@quartermaster/core';
import { type DeferPlan, type Fact, remember } from '@quartermaster/core/disclosure';
import { parseArguments } from '@quartermaster/core/dispatch';
import { factsOfCall } from '@quartermaster/core/internal';
import { modelName } from '../internal/shown-tools.ts';
import {
  type ChatMessage,
  type ChatRequest,
  type ChatToolCall,
  callsOf,
  nameOf,
  referencesIn,
  resultsAfter,
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
    const results = resultsAfter(messages, index);
    return callsOf(message).flatMap((call) => {
      const name = nameOf(call) ?? '';
      const result = results.find(({ tool_call_id: id }) => id === call.id);
      const answer = result === undefined ? undefined : textOf(result);
      const known = modelName(plan.snapshot, name);
      return factsOfCall(plan, { name, modelName: known, arguments: argumentsOf(call), answer });
    });
  });
}

/** A tool that the model is forced to call must be declared in full, found or not. */
function known(plan: DeferPlan, forced: string): readonly string[] {
  const name = modelName(plan.snapshot, forced);
  return plan.deferred.has(name) ? [name] : [];
}
