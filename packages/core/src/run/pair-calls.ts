import type { AssistantMessage, Message, ToolMessage } from './message.ts';

/**
 * The messages with every call answered and every answer asked for, as models want them: compaction and forks leave halves. Results
 * belong to the assistant's message right before them.
 */
export function pairCalls(messages: readonly Message[]): readonly Message[] {
  const paired: Message[] = [];
  for (let index = 0; index < messages.length; ) {
    const message = messages[index];
    index += 1;
    if (message === undefined || message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      paired.push(message);
      continue;
    }
    const results: ToolMessage[] = [];
    for (let next = messages[index]; next?.role === 'tool'; next = messages[index]) {
      results.push(next);
      index += 1;
    }
    paired.push(...pairTurn(message, results));
  }
  return paired;
}

/** Results in the order of their calls. */
function pairTurn(message: AssistantMessage, results: readonly ToolMessage[]): readonly Message[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  const calls = (message.calls ?? []).filter((call) => byId.has(call.id));
  const { calls: _, ...rest } = message;
  if (calls.length === 0) return message.content === '' ? [] : [rest];
  return [{ ...rest, calls }, ...calls.flatMap((call) => byId.get(call.id) ?? [])];
}
