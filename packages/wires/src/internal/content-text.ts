import { isJsonObject } from '@quartermaster/core/catalog';

/** The text of a message's content, or of a result's: all of it, or its text parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n');
}
