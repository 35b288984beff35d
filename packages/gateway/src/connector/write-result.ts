import type { JsonObject } from '@quartermaster/core/catalog';
import { type ContentPart, readContent } from '@quartermaster/mcp';
import type { AnthropicBlock } from '@quartermaster/wires/anthropic';

/** The outcome of a call to a server. */
export interface CallResult {
  readonly content: readonly AnthropicBlock[];
  readonly isError: boolean;
}

/**
 * A server's result as text, the only content that a result can have here: images and sound are mentioned.
 * A result longer than `maxBytes` is cut, and says so.
 */
export function writeResult(result: JsonObject, maxBytes: number): CallResult {
  // Hosts reject an empty text block.
  const texts = readContent(result)
    .map(textOf)
    .filter((text) => text !== '');
  // Servers that send structured content should send it as text too, but some don't.
  if (texts.length === 0 && result.structuredContent !== undefined)
    texts.push(JSON.stringify(result.structuredContent));
  const joined = texts.length > MOST_BLOCKS ? [texts.join('\n')] : texts;
  return { content: within(joined, maxBytes), isError: result.isError === true };
}

/** Above this number, the blocks themselves take more than their content. */
const MOST_BLOCKS = 1_000;

export function errorResult(message: string): CallResult {
  return { content: [textBlock(message)], isError: true };
}

function textOf(content: ContentPart): string {
  switch (content.kind) {
    case 'text':
      return content.text;
    case 'file':
      return `[the resource ${shown(content.uri)}, which is not text]`;
    case 'link':
      return `[the resource ${shown(content.name)} at ${shown(content.uri)}]`;
    case 'media':
      return withheld(content);
    case 'other':
      return withheld(content.part);
  }
}

function withheld({ type, mimeType, data }: { readonly [field in 'type' | 'mimeType' | 'data']?: unknown }): string {
  const size = typeof data === 'string' ? `, ${data.length} characters of base64` : '';
  return `[${shown(type)} of type ${shown(mimeType)}${size}, which can't be shown here]`;
}

/** Never cut: half an address leads nowhere. If the whole is too long, it is cut elsewhere. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

function within(texts: readonly string[], maxBytes: number): readonly AnthropicBlock[] {
  const total = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (total <= maxBytes) return texts.map(textBlock);
  const kept: AnthropicBlock[] = [];
  let left = maxBytes;
  for (const text of texts) {
    if (left <= 0) break;
    const piece = cut(text, left);
    kept.push(textBlock(piece));
    left -= Buffer.byteLength(piece);
  }
  return [...kept, textBlock(`[cut off here: the result has ${total} bytes, and ${maxBytes} are allowed]`)];
}

/** Between two characters, never inside one. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end);
}

function textBlock(text: string): AnthropicBlock {
  return { type: 'text', text, citations: null };
}
