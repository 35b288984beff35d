import type { JsonObject } from '@quartermaster/core/catalog';
import {
  type HiddenContent,
  type HistoryPiece,
  readSlots,
  type Slot,
  type WireTranscript,
  weaveSlots,
} from '@quartermaster/core/loop';
import {
  contentsOf,
  type GeminiContent,
  type GeminiPart,
  type GeminiRequest,
  partsOf,
} from './gemini-shapes-2026-11.ts';
import { isSearchPart } from './search-parts.ts';

/** What to keep of a response whose client does not see searches: where they were. */
export function hiddenContent(parts: readonly GeminiPart[]): HiddenContent | undefined {
  const hidden = parts.filter(isSearchPart);
  if (hidden.length === 0) return undefined;
  const shown = parts.filter((part) => !isSearchPart(part));
  const slots = parts.map(
    (part): Slot => (isSearchPart(part) ? { hidden: part as JsonObject } : { shown: keyOf(part) }),
  );
  return {
    shown: [{ ids: idsIn(shown), text: textIn(shown) }],
    calls: hidden.flatMap(({ toolCall }) => toolCall?.id ?? []),
    content: { slots } as unknown as JsonObject,
  };
}

/** The transcript for clients that don't see searches; for others there is nothing to keep. */
export const geminiTranscript: WireTranscript<GeminiRequest> = {
  version: 1,
  pieces: (request) => turnsIn(request).map(pieceOf),
  weave(request, entries) {
    const found = new Map(entries.flatMap((entry) => entry.pieces.map((index) => [index, entry] as const)));
    const contents = turnsIn(request).flatMap((turn, index): readonly GeminiContent[] => {
      const entry = found.get(index);
      if (entry === undefined) return turn;
      const said = entry.isAfter ? [] : turn.flatMap(partsOf).filter((part) => !isEmpty(part));
      const parts = weaveSlots(readSlots(entry.content.slots), said, keyOf) as readonly GeminiPart[];
      return [...(entry.isAfter ? turn : []), { parts, role: 'model' }];
    });
    return { ...request, contents };
  },
};

/** Adjacent model contents are one response: clients keep a content for each chunk. */
function turnsIn(request: GeminiRequest): readonly (readonly GeminiContent[])[] {
  const turns: GeminiContent[][] = [];
  for (const content of contentsOf(request)) {
    const last = turns.at(-1);
    if (content.role === 'model' && last?.[0]?.role === 'model') last.push(content);
    else turns.push([content]);
  }
  return turns;
}

function pieceOf(turn: readonly GeminiContent[]): HistoryPiece {
  const parts = turn.flatMap(partsOf);
  if (turn[0]?.role === 'model') return { by: 'model', ids: idsIn(parts), text: textIn(parts) };
  return { by: 'client', text: textIn(parts) };
}

/** How much of a text is compared to identify it. */
const KEY_CHARACTERS = 32;

/** What identifies a part when the client sends it back. */
function keyOf({ functionCall, text, ...other }: GeminiPart): string {
  if (functionCall !== undefined) return `call:${functionCall.id ?? functionCall.name ?? ''}`;
  return text === undefined ? Object.keys(other).sort().join() : `text:${text.slice(0, KEY_CHARACTERS)}`;
}

function idsIn(parts: readonly GeminiPart[]): readonly string[] {
  return parts.flatMap(({ functionCall }) => functionCall?.id ?? []);
}

function textIn(parts: readonly GeminiPart[]): string {
  return parts.map(({ text }) => text ?? '').join('');
}

/** The empty text that ends a stream. Hosts write it, and refuse it in a history. */
export function isEmpty(part: GeminiPart): boolean {
  return part.text === '' && Object.keys(part).length === 1;
}
