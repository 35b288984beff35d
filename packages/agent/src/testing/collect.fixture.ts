import type { SDKAssistantMessage, SDKMessage, SDKResultMessage, SDKSystemMessage, SDKUserBlock } from '../index.ts';

/** Every message of a query. */
export async function collect(messages: AsyncIterable<SDKMessage>): Promise<readonly SDKMessage[]> {
  const all: SDKMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

export function initOf(messages: readonly SDKMessage[]): SDKSystemMessage {
  const [first] = messages;
  if (first?.type !== 'system' || first.subtype !== 'init') throw new Error('The first message is no init');
  return first;
}

export function resultOf(messages: readonly SDKMessage[]): SDKResultMessage {
  const last = messages.at(-1);
  if (last?.type !== 'result') throw new Error('The last message is no result');
  return last;
}

export function assistantsOf(messages: readonly SDKMessage[]): readonly SDKAssistantMessage[] {
  return messages.filter((message) => message.type === 'assistant');
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** What tools were answered with, in order. */
export function resultsIn(messages: readonly SDKMessage[]): readonly ToolResult[] {
  return messages.flatMap((message) =>
    message.type === 'user' && typeof message.message.content !== 'string'
      ? message.message.content.flatMap(toResult)
      : [],
  );
}

function toResult(block: SDKUserBlock): readonly ToolResult[] {
  if (block.type !== 'tool_result') return [];
  const { content, is_error: isError = false } = block;
  const text =
    typeof content === 'string'
      ? content
      : content.map((one) => (one.type === 'text' ? one.text : `[${one.type}]`)).join('\n');
  return [{ text, isError }];
}
