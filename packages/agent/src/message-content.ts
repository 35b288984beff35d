import { isJsonObject } from '@quartermaster/core/catalog';
import type { AnthropicBlock, AnthropicMessage } from '@quartermaster/wires/anthropic';

/** The blocks of a message: a string is one block of text. */
export function blocksOf({ content }: Pick<AnthropicMessage, 'content'>): readonly AnthropicBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** A message with further texts at its end. */
export function withTexts(message: AnthropicMessage, texts: readonly string[]): AnthropicMessage {
  if (texts.length === 0) return message;
  return { ...message, content: [...blocksOf(message), ...texts.map((text) => ({ type: 'text', text }))] };
}

/** What is said in blocks, without calls and their results. */
export function textIn(blocks: readonly unknown[]): string {
  const said = blocks.filter(isJsonObject).map(({ type, text }) => (type === 'text' ? text : undefined));
  return said.filter((text) => typeof text === 'string').join('\n');
}
