import { type ChatMessage, callsOf } from './chat-shapes-2026-11.ts';

/**
 * The messages with every call answered and every answer asked for, as the API wants them: compaction and forks leave halves.
 * Results belong to the message right before them, because upstreams use the same id again and again.
 */
export function pairCalls(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const paired: ChatMessage[] = [];
  let index = 0;
  while (index < messages.length) {
    const message = messages[index];
    index += 1;
    if (message === undefined) continue;
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant' || !Array.isArray(message.tool_calls)) {
      paired.push(message);
      continue;
    }
    const end = endOfResults(messages, index);
    paired.push(...pairTurn(message, messages.slice(index, end)));
    index = end;
  }
  return paired;
}

function endOfResults(messages: readonly ChatMessage[], start: number): number {
  let end = start;
  while (messages[end]?.role === 'tool') end += 1;
  return end;
}

function pairTurn(message: ChatMessage, results: readonly ChatMessage[]): readonly ChatMessage[] {
  const answered = new Set(results.map((result) => result.tool_call_id));
  const calls = callsOf(message).filter((call) => answered.has(call.id));
  const called = new Set<string | undefined>(calls.map((call) => call.id));
  const kept = results.filter((result) => called.delete(result.tool_call_id));
  if (calls.length > 0) {
    return [calls.length === message.tool_calls?.length ? message : { ...message, tool_calls: calls }, ...kept];
  }
  const { tool_calls: _, ...rest } = message;
  return isEmpty(rest) ? [] : [rest];
}

/** Nothing but a role: the API refuses such a message. */
function isEmpty(message: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(message).every(
    ([key, value]) => key === 'role' || value === null || value === undefined || value === '' || isEmptyList(value),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
