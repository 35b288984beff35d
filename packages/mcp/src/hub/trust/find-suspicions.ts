import type { Json, JsonObject } from '@quartermaster/core/catalog';

/** A place in a definition that people should look at. Most findings are clumsy rather than malicious. */
export interface Suspicion {
  readonly kind: SuspicionKind;
  /** Its place, such as `description` or `inputSchema.properties.path.description`. */
  readonly at: string;
  /** The text around it, with invisible characters written as `\u{…}`. */
  readonly excerpt: string;
}

/** What happens to a finding: report it, also leave the tool out, or don't check. */
export type FindingsPolicy = 'warn' | 'withhold' | 'off';

/** What can be suspicious about a definition. */
export type SuspicionKind =
  | 'hidden-characters'
  | 'bidirectional-controls'
  | 'html-comment'
  | 'instruction'
  | 'look-alike-name';

const MOST_SUSPICIONS = 10;
const MOST_TEXT = 100_000;
const MOST_NODES = 20_000;
const DEEPEST = 200;
const EXCERPT_BEFORE = 20;
const EXCERPT_LENGTH = 120;

/**
 * Finds text that is meant to instruct the model rather than to describe a tool, and text that people can't see:
 * - zero-width characters, and the tag characters that spell invisible ASCII (a joiner between emoji is fine);
 * - bidirectional controls, which make text look different from what it is;
 * - HTML comments, which viewers hide and models read;
 * - sentences that give orders about other instructions, other tools, or what the user may know.
 * A heuristic: it misses other phrasings, and flags the occasional honest sentence.
 */
export function findSuspicions(definition: JsonObject): readonly Suspicion[] {
  const found: Suspicion[] = [];
  for (const { at, text } of textsIn(definition)) {
    const looked = text.slice(0, MOST_TEXT);
    for (const { kind, pattern } of SIGNS) {
      const match = pattern.exec(looked);
      if (match !== null) found.push({ kind, at, excerpt: excerptOf(looked, match.index) });
      if (found.length >= MOST_SUSPICIONS) return found;
    }
  }
  return found;
}

interface Placed {
  readonly at: string;
  readonly text: string;
}

/** Every text of a definition, including keys: a parameter's name reaches the model too. */
function* textsIn(definition: JsonObject): Generator<Placed> {
  const queue: { readonly value: Json | undefined; readonly at: string; readonly depth: number }[] = [];
  for (const key of READ_BY_MODELS) queue.push({ value: definition[key], at: key, depth: 0 });
  for (let next = 0; next < MOST_NODES; next += 1) {
    const node = queue[next];
    if (node === undefined) return;
    const { value, at, depth } = node;
    if (typeof value === 'string') yield { at, text: value };
    if (typeof value !== 'object' || value === null || depth > DEEPEST) continue;
    for (const [key, item] of Object.entries(value)) {
      if (!Array.isArray(value)) yield { at, text: key };
      queue.push({ value: item, at: `${at}.${key.slice(0, EXCERPT_LENGTH)}`, depth: depth + 1 });
    }
  }
}

function excerptOf(text: string, index: number): string {
  const from = Math.max(0, index - EXCERPT_BEFORE);
  const to = index + EXCERPT_LENGTH;
  const before = text.slice(from, index);
  // Half a word at the cut tells nothing.
  const lead = from === 0 ? before : `…${before.replace(/^\S+\s+/, '')}`;
  return `${lead}${text.slice(index, to)}${to < text.length ? '…' : ''}`.replace(UNSEEN, spellCharacter);
}

/** An invisible or misleading character as its code. */
export function spellCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const READ_BY_MODELS: readonly string[] = [
  'name',
  'title',
  'description',
  'annotations',
  'inputSchema',
  'outputSchema',
];
const UNSEEN = /[\p{Cf}\p{Co}\p{Cc}]/gu;

const SIGNS: readonly { readonly kind: SuspicionKind; readonly pattern: RegExp }[] = [
  {
    kind: 'hidden-characters',
    pattern:
      /[\u{34F}\u{115F}\u{1160}\u{180E}\u{200B}\u{200C}\u{2060}-\u{2064}\u{206A}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E00FF}\u{E01F0}-\u{E0FFF}]|(?<=[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}])[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]|(?<!\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u{200D}/u,
  },
  { kind: 'bidirectional-controls', pattern: /[\u{202A}-\u{202E}\u{2066}-\u{2069}]/u },
  { kind: 'html-comment', pattern: /<!--/ },
  {
    kind: 'instruction',
    pattern:
      /\b(?:ignore|disregard|forget|override)\s+(?:\w+\s){0,3}?(?:previous|prior|above|earlier|preceding|system)\s+(?:\w+\s){0,2}?(?:instructions?|prompts?|rules?|messages?|directions?)/i,
  },
  {
    kind: 'instruction',
    pattern:
      /\b(?:do\s+not|don't|never|without)\s+(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|show(?:ing)?|reveal(?:ing)?|notify(?:ing)?|ask(?:ing)?|alert(?:ing)?)\s+(?:\w+\s){0,4}?(?:the\s+)?user\b/i,
  },
  {
    kind: 'instruction',
    pattern:
      /\b(?:before|after|whenever|when|prior\s+to)\s+(?:you\s+)?(?:us(?:e|ing)|call(?:ing)?)\s+(?:any|every|all|another|each)\s+(?:other\s+)?tools?\b|\b(?:before|prior\s+to)\s+(?:any|every|all|each)\s+other\s+tools?\b/i,
  },
  { kind: 'instruction', pattern: /<\/?(?:important|system|instructions?|secret|assistant|admin)\b[^<>]{0,40}>/i },
  { kind: 'instruction', pattern: /\b(?:reveal|print|output|repeat|send|leak)\s+(?:\w+\s){0,3}?system\s+prompt/i },
];
