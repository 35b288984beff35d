import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { wordsOf } from './words.ts';

const DEEPEST = 5;
const LONGEST = 500;

/** How much of the text is read: the patterns below may visit each character once for every other. */
const MOST_SAID = 2_000;

/**
 * Plain arguments for a schema, taken from what the user said: quoted texts, numbers, dates, addresses and the words of enums,
 * each used once. Only required parameters are filled in. Nothing is understood; the same text and schema give the same arguments.
 */
export function fillArguments(schema: JsonObject, said: string): JsonObject {
  return fillObject(schema, { words: new Set(wordsOf(said)), pieces: takePieces(said), said }, 0);
}

interface Filling {
  readonly said: string;
  readonly words: ReadonlySet<string>;
  readonly pieces: Pieces;
}

/** The values in a text, in the order of their appearance. Each can be taken once. */
interface Pieces {
  readonly quotes: string[];
  readonly numbers: number[];
  readonly dates: string[];
  readonly emails: string[];
  readonly urls: string[];
  readonly paths: string[];
  readonly names: string[];
}

function takePieces(said: string): Pieces {
  const all = (pattern: RegExp): string[] =>
    [...said.slice(0, MOST_SAID).matchAll(pattern)].map((match) => match[1] ?? match[0]);
  const urls = all(/https?:\/\/[^\s"'<>]+/g);
  const dates = all(/\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?/g);
  const rest = [...urls, ...dates].reduce((text, piece) => text.replace(piece, ' '), said.slice(0, MOST_SAID));
  const emails = all(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g);
  const paths = (rest.match(/[\w.~-]*(?:\/[\w.-]+)+|\b[\w-]+\.[a-z]{1,5}\b/g) ?? []).filter(
    (path) => !path.includes('@'),
  );
  const quotes = all(/["“”']([^"“”'\n]{1,300})["“”'](?!\p{L})/gu);
  return {
    // A quoted path is a path, and not the text that goes there.
    quotes: quotes.filter((quote) => ![...urls, ...emails, ...paths].includes(quote)),
    numbers: (rest.match(/(?<![\p{L}\d.])-?\d+(?:\.\d+)?/gu) ?? []).map(Number),
    dates,
    emails,
    urls,
    paths,
    // A capital that does not start a sentence.
    names: [...rest.matchAll(/(?<=[\p{Ll}\p{N},;:] )\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)*/gu)].map(
      ([name]) => name,
    ),
  };
}

function fillObject(schema: JsonObject, filling: Filling, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const entries = required.flatMap((name) => {
    if (typeof name !== 'string') return [];
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [[name, fillValue(name, isJsonObject(property) ? property : {}, filling, depth + 1)] as const];
  });
  return Object.fromEntries(entries);
}

function fillValue(name: string, schema: JsonObject, filling: Filling, depth: number): Json {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return fillEnum(schema.enum, filling);
  if (depth > DEEPEST) return null;
  switch (typeOf(schema)) {
    case 'object':
      return fillObject(schema, filling, depth);
    case 'array': {
      const item = isJsonObject(schema.items) ? schema.items : {};
      return [fillValue(name, item, filling, depth + 1)];
    }
    case 'integer':
    case 'number':
      return fillNumber(schema, filling);
    case 'boolean':
      return schema.default === true || wordsOf(name).some((word) => filling.words.has(word));
    case 'null':
      return null;
    case 'union':
      return fillValue(name, firstMember(schema), filling, depth + 1);
    default:
      return fillText(name, schema, filling);
  }
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return String(type.find((one) => one !== 'null') ?? 'null');
  if (isJsonObject(schema.properties)) return 'object';
  return Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf) ? 'union' : 'string';
}

function firstMember(schema: JsonObject): JsonObject {
  const list = Array.isArray(schema.anyOf) ? schema.anyOf : schema.oneOf;
  const members: readonly Json[] = Array.isArray(list) ? list : [];
  return members.filter(isJsonObject).find((member) => member.type !== 'null') ?? {};
}

function fillEnum(values: readonly Json[], { words, said }: Filling): Json {
  const text = said.toLowerCase();
  const isSaid = (value: Json): boolean =>
    typeof value === 'string' && value !== '' && (words.has(value.toLowerCase()) || text.includes(value.toLowerCase()));
  return values.find(isSaid) ?? values[0] ?? null;
}

function fillNumber(schema: JsonObject, { pieces }: Filling): number {
  const isWhole = schema.type === 'integer';
  const index = pieces.numbers.findIndex((number) => !isWhole || Number.isInteger(number));
  const [taken] = index < 0 ? [] : pieces.numbers.splice(index, 1);
  const least = typeof schema.minimum === 'number' ? schema.minimum : Number.NEGATIVE_INFINITY;
  const most = typeof schema.maximum === 'number' ? schema.maximum : Number.POSITIVE_INFINITY;
  const plain = taken ?? (typeof schema.default === 'number' ? schema.default : 1);
  return Math.min(most, Math.max(least, plain));
}

function fillText(name: string, schema: JsonObject, filling: Filling): string {
  const text = pickText(name, schema, filling);
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : LONGEST;
  return text.slice(0, Math.max(0, most));
}

function pickText(name: string, schema: JsonObject, filling: Filling): string {
  const { pieces, said } = filling;
  const kind = kindOf(name, schema);
  if (kind !== undefined) {
    const { from, fallback } = KINDS[kind];
    const taken = pieces[from].shift() ?? (typeof schema.default === 'string' ? schema.default : fallback);
    return kind === 'date-time' && /^\d{4}-\d{2}-\d{2}$/.test(taken) ? `${taken}T00:00:00Z` : taken;
  }
  const quoted = pieces.quotes.shift();
  if (quoted !== undefined) return quoted;
  if (typeof schema.default === 'string') return schema.default;
  if (WHOLE_TEXT.test(name)) return said.trim();
  return pieces.names.shift() ?? pieces.paths.shift() ?? said.trim();
}

type Kind = keyof typeof KINDS;

function kindOf(name: string, schema: JsonObject): Kind | undefined {
  const { format } = schema;
  const byFormat = FORMATS.find(([known]) => known === format)?.[1];
  return byFormat ?? NAMES.find(([pattern]) => pattern.test(name))?.[1];
}

const KINDS = {
  date: { from: 'dates', fallback: '2026-01-01' },
  'date-time': { from: 'dates', fallback: '2026-01-01T00:00:00Z' },
  email: { from: 'emails', fallback: 'someone@example.com' },
  url: { from: 'urls', fallback: 'https://example.com' },
  path: { from: 'paths', fallback: 'README.md' },
} as const;

const FORMATS: readonly (readonly [string, Kind])[] = [
  ['date', 'date'],
  ['date-time', 'date-time'],
  ['email', 'email'],
  ['uri', 'url'],
  ['url', 'url'],
];

const NAMES: readonly (readonly [RegExp, Kind])[] = [
  [/(^|_)date$|Date$/, 'date'],
  [/e-?mail/i, 'email'],
  [/(^|_)ur[il]$|Ur[il]$/, 'url'],
  [/(^|_)(file_?)?paths?$|Paths?$|^file(name)?s?$/, 'path'],
];

/** Parameters for which the whole text is a reasonable value. */
const WHOLE_TEXT = /query|text|message|body|content|prompt|question|description|title|summary|input|^q$|search/i;
