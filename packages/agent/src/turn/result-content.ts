import { isJsonObject, type ToolOutcome } from '@quartermaster/core';
import type { SDKResultBlock } from '../sdk-message.ts';

export interface ContentLimits {
  /** How many characters of text a result may have. */
  readonly mostCharacters: number;
  /** Whether the model can be shown images in results. */
  readonly images: boolean;
}

const MOST_IMAGES = 20;
/** In base64: 5 MB of image, which is what the Messages API takes. */
const MOST_IMAGE_CHARACTERS = 7_000_000;
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A tool's result as the model gets it: text and images. What is too long is cut, and a sentence says so; what can't be shown is named. */
export function resultContent(outcome: ToolOutcome, limits: ContentLimits): readonly SDKResultBlock[] {
  const blocks = blocksOf(outcome, limits);
  const total = blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (total <= limits.mostCharacters) return blocks;
  let shown = 0;
  let isFull = false;
  const kept = blocks.flatMap((block): readonly SDKResultBlock[] => {
    if (block.type !== 'text') return [block];
    const text = isFull ? '' : cut(block.text, limits.mostCharacters - shown);
    isFull ||= text.length < block.text.length;
    shown += text.length;
    return text === '' ? [] : [{ type: 'text', text }];
  });
  return [
    ...kept,
    {
      type: 'text',
      text: `[The result was cut: it has ${total} characters, of which the first ${shown} are shown. Ask for less at once, such as with a filter, a limit or a range.]`,
    },
  ];
}

function blocksOf({ value, text }: ToolOutcome, limits: ContentLimits): readonly SDKResultBlock[] {
  const content: readonly unknown[] = isJsonObject(value) && Array.isArray(value.content) ? value.content : [];
  let images = 0;
  const blocks = content.flatMap((part): readonly SDKResultBlock[] => {
    if (!isJsonObject(part)) return [];
    if (part.type === 'image' && limits.images && images < MOST_IMAGES && isShowable(part)) {
      images += 1;
      const source = { type: 'base64' as const, media_type: String(part.mimeType), data: String(part.data) };
      return [{ type: 'image', source }];
    }
    const told = textOf(part);
    return told === '' ? [] : [{ type: 'text', text: told }];
  });
  if (blocks.length > 0) return blocks;
  return [{ type: 'text', text: text === '' ? 'The tool gave no result.' : text }];
}

function isShowable({ mimeType, data }: Readonly<Record<string, unknown>>): boolean {
  return IMAGE_TYPES.has(mimeType) && typeof data === 'string' && data !== '' && data.length <= MOST_IMAGE_CHARACTERS;
}

function textOf(part: Readonly<Record<string, unknown>>): string {
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? part.text : '';
    case 'image':
    case 'audio':
      return `[${part.type} of type ${String(part.mimeType)}, not shown]`;
    case 'resource_link':
      return `[resource ${String(part.name ?? '')} at ${String(part.uri)}]`;
    case 'resource': {
      const resource = isJsonObject(part.resource) ? part.resource : {};
      if (typeof resource.text === 'string') return resource.text;
      return `[resource of type ${String(resource.mimeType ?? 'unknown')} at ${String(resource.uri)}, not shown]`;
    }
    default:
      return JSON.stringify(part);
  }
}

/** Never through the middle of a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.max(0, most);
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
}
