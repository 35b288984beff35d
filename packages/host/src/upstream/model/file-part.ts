import type { LanguageModelV4FilePart } from '@ai-sdk/provider';
import { defined } from '@quartermaster/core/internal';

type FileData = LanguageModelV4FilePart['data'];

/**
 * A file as its client named it: a `data:` URL is decoded, any other URL is passed on for the provider to fetch. Nothing is
 * downloaded here: the addresses are untrusted, and may lead into our own network.
 */
export function fileAt(url: string, mediaType: string): LanguageModelV4FilePart | undefined {
  const match = /^data:([^;,]*)(?:;[^,]*)?;base64,/.exec(url.slice(0, 512));
  if (match !== null) return filePart({ type: 'data', data: url.slice(match[0].length) }, match[1] || mediaType);
  if (!URL.canParse(url)) return undefined;
  return filePart({ type: 'url', url: new URL(url) }, mediaType);
}

export function filePart(data: FileData, mediaType: string, filename?: string): LanguageModelV4FilePart {
  return { type: 'file', data, mediaType, ...defined({ filename }) };
}

/** A file that a model has made, as base64. Undefined for one that stays at the provider's. */
export function base64Of(data: FileData): string | undefined {
  if (data.type !== 'data') return undefined;
  return typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
}
