import type { Whole } from '@quartermaster/core/loop';
import { type GeminiPart, type GeminiResponse, partsOf } from './gemini-shapes-2026-11.ts';
import { withParts } from './reader.ts';

/** A whole response is a stream of one chunk. Joining chunks keeps every part as it is: signatures belong to parts. */
export const geminiWhole: Whole<GeminiResponse, GeminiResponse> = {
  toParts: (response) => [response],
  fromParts(chunks) {
    const [first = {}, ...rest] = chunks;
    if (rest.length === 0) return first;
    const parts = chunks.flatMap((chunk) => partsOf(chunk.candidates?.[0]?.content));
    const merged = rest.reduce<GeminiResponse>((whole, chunk) => mergeChunk(whole, chunk), first);
    return merged.candidates === undefined ? merged : withParts(merged, withoutEmpty(parts));
  },
};

/** Later chunks add to what is known about a candidate. */
function mergeChunk(whole: GeminiResponse, chunk: GeminiResponse): GeminiResponse {
  const [known, ...others] = whole.candidates ?? [];
  const [candidate, ...later] = chunk.candidates ?? [];
  if (candidate === undefined && known === undefined) return { ...whole, ...chunk };
  return { ...whole, ...chunk, candidates: [{ ...known, ...candidate }, ...(later.length > 0 ? later : others)] };
}

/** The empty text that ends a stream means nothing in a whole response. */
function withoutEmpty(parts: readonly GeminiPart[]): readonly GeminiPart[] {
  const kept = parts.filter((part) => part.text !== '' || Object.keys(part).length > 1);
  return kept.length === 0 ? parts : kept;
}
