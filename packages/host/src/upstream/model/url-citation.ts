import type { SourcePart } from './serialise-parts.ts';

/** OpenAI's annotation of a text. */
export interface UrlCitation {
  readonly type: 'url_citation';
  readonly start_index: number;
  readonly end_index: number;
  readonly url: string;
  readonly title: string;
}

/** Providers don't say which words a source supports: the range is empty, at the end of the text so far. */
export function urlCitation(source: SourcePart, at: number): UrlCitation {
  const url = addressOf(source);
  return { type: 'url_citation', start_index: at, end_index: at, url, title: source.title ?? url };
}

/** A document's file name replaces an address. */
export function addressOf(source: SourcePart): string {
  return source.sourceType === 'url' ? source.url : (source.filename ?? source.title);
}
