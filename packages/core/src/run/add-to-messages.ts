import { defined } from '../defined.ts';
import type { AssistantMessage, Message } from './message.ts';
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
