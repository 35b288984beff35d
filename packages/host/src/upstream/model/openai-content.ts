import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { UserPart } from './prompt-builder.ts';

/** What a content part without a text becomes. Undefined for one that says nothing. */
export type ReadPart = (part: JsonObject) => UserPart | undefined;

/** A user's content: a text, or a list of parts. */
export function readParts(content: unknown, readPart: ReadPart): readonly UserPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.filter(isJsonObject).flatMap((part): readonly UserPart[] => {
    if (typeof part.text === 'string') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    return [readPart(part)].filter((one) => one !== undefined);
  });
}

/** A tool's result, with its files if it has any. */
export function readOutput(content: unknown, readPart: ReadPart): LanguageModelV4ToolResultOutput {
  const parts = readParts(content, readPart);
  if (parts.every(({ type }) => type === 'text')) return { type: 'text', value: textOf(content) };
  return { type: 'content', value: [...parts] };
}

/** The texts and refusals of a content. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts
    .flatMap((part) => {
      if (!isJsonObject(part)) return [];
      const text = part.text ?? part.refusal;
      return typeof text === 'string' ? [text] : [];
    })
    .join('\n');
}
