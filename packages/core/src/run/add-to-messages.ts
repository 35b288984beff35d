import { defined } from '../catalog/internal.ts';
import type { AssistantMessage, Message, ToolMessage } from './message.ts';
import type { PlainPart } from './plain-wire.ts';

/** The messages with one more part of the response. Text after results begins a message of its own. */
export function addToMessages(messages: readonly Message[], part: PlainPart): readonly Message[] {
  switch (part.kind) {
    case 'text': {
      if (part.text === '') return messages;
      return changeLast(messages, (last) => ({ ...last, content: `${last.content}${part.text}` }));
    }
    case 'made': {
      const { id, name, extra, arguments: input } = part;
      const call = { id, name, arguments: input, ...defined({ extra }) };
      return changeLast(messages, (last) => ({ ...last, calls: [...(last.calls ?? []), call] }));
    }
    case 'result': {
      const { id, content, isError } = part;
      return [...messages, { role: 'tool', id, content, ...(isError ? { isError } : {}) }];
    }
    case 'call':
    case 'end':
    case 'close':
      return messages;
  }
}

function changeLast(
  messages: readonly Message[],
  change: (last: AssistantMessage) => AssistantMessage,
): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages, change({ role: 'assistant', content: '' })];
  return [...messages.slice(0, -1), change(last)];
}

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
