import type { Json } from './json.ts';

/**
 * Characters that people can't see and models read: zero-width characters, fillers, tag characters that spell invisible ASCII, and
 * bidirectional controls. A joiner is left where scripts and emoji need it, which is never next to ASCII. So is one variation selector after
 * another character, or within a keycap; a run of them can spell anything.
 */
const INVISIBLE =
  /[\u{34F}\u{AD}\u{115F}\u{1160}\u{180E}\u{200B}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E00FF}\u{E01F0}-\u{E0FFF}]|(?<=[\p{ASCII}])[\u{200C}\u{200D}]+|[\u{200C}\u{200D}]+(?=[\p{ASCII}])|(?<=[\p{ASCII}])[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+(?!\u{20E3})|(?<=[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}])[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+/gu;

const DEEPEST = 200;

/** A text as people see it. */
export function stripInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/** A value with every text as people see it. The same value if there is nothing to remove. Keys are not changed: they are argument names. */
export function stripInvisibleTexts(value: Json, depth = 0): Json {
  if (typeof value === 'string') return stripInvisible(value);
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((item) => stripInvisibleTexts(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stripInvisibleTexts(item, depth + 1)]));
}

/** Whether a text contains such characters. */
export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) !== -1;
}

/** The first key with such characters: a model could not write the argument's name, and people could not see what it is. */
export function findInvisibleKey(value: Json, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return undefined;
  const own = Array.isArray(value) ? undefined : Object.keys(value).find(hasInvisible);
  if (own !== undefined) return own;
  for (const inner of Object.values(value)) {
    const found = findInvisibleKey(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
