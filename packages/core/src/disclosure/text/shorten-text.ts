import { isJsonObject, type JsonSchema } from '../../catalog/index.ts';

/**
 * The first sentence of a description on one line, at most `maxLength` characters. Line breaks and control characters become
 * spaces, so that a description can't look like another line of the surrounding text.
 */
export function firstSentence(description: string, maxLength: number): string {
  const flat = fold(description, maxLength);
  const sentence = flat.slice(0, sentenceEnds(flat)[0]);
  return cutText(sentence.replace(/[.。]$/u, ''), maxLength);
}

/** `: what it does`, or empty: the first sentence, to be put after a name. */
export function sentenceAfter(description: string, maxLength: number): string {
  const sentence = firstSentence(description, maxLength);
  return sentence === '' ? '' : `: ${sentence}`;
}

/** Cuts without splitting a surrogate pair, and shows it with an ellipsis, which counts. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = Math.max(0, maxLength - 1);
  const code = text.charCodeAt(end - 1);
  const isHigh = code >= 0xd800 && code <= 0xdbff;
  return `${text.slice(0, isHigh ? end - 1 : end).trimEnd()}…`;
}

/** A text on one line, at most `maxLength` characters: for names that come from outside. */
export function oneLine(text: string, maxLength: number): string {
  return cutText(fold(text, maxLength), maxLength);
}

/** Twice the length leaves room for the spaces that are folded; the rest of a huge text is never read. */
function fold(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength * 2 + 200)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Where sentences end in a text: after `.`, `!` or `?` before a space, and after their CJK equivalents. Not after an abbreviation or an
 * initial, nor inside brackets: `Sends mail (e.g. invoices) to U.S. customers.` is one sentence.
 */
export function sentenceEnds(text: string): readonly number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth = Math.max(0, depth - 1);
    else if (CJK_ENDS.has(character)) ends.push(at + 1);
    else if (depth === 0 && ENDS.has(character) && isSpace(text, at + 1) && !isAbbreviated(text, at)) ends.push(at + 1);
    // A bracket that is never closed must not hide every end.
    if (character === '\n') depth = 0;
  }
  return ends;
}

const OPENING: ReadonlySet<string> = new Set(['(', '[', '{']);
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);
const ENDS: ReadonlySet<string> = new Set(['.', '!', '?']);
const CJK_ENDS: ReadonlySet<string> = new Set(['。', '！', '？']);

function isSpace(text: string, at: number): boolean {
  return at < text.length && /\s/u.test(text[at] ?? '');
}

const MOST_CHARACTERS = 16;
const INITIALS = /(?:^|[\s([{"'])(?:(?:\p{L}\.)+\p{L}|\p{Lu})$/u;
const ALWAYS = /(?:^|[\s([{"'])(?:eg|ie|vs|cf|fig|dr|mr|mrs|ms|prof)$/iu;
const WITHIN = /(?:^|[\s([{"'])(?:etc|approx|incl|excl|esp|resp|max|min|no|nr|vol|inc|ltd|co|corp|st)$/iu;

/** Whether a full stop belongs to the word before it. `etc.` may also end a sentence if a capital follows. */
function isAbbreviated(text: string, at: number): boolean {
  if (text[at] !== '.') return false;
  const before = text.slice(Math.max(0, at - MOST_CHARACTERS), at);
  if (INITIALS.test(before) || ALWAYS.test(before)) return true;
  return WITHIN.test(before) && !/^\s+\p{Lu}/u.test(text.slice(at + 1, at + 4));
}

/**
 * The prefix of the name of a tool without a server, which groups it with others: `github_`, `jira-`, `files.`, `mcp__slack__`, or the
 * first word of a camelCase name.
 */
export function namePrefix(name: string): string | undefined {
  return PREFIX.exec(name)?.[0];
}

const PREFIX = /^(?:mcp__.+?__(?=.)|[\p{L}\p{N}]+(?:__|[_.:/-])|\p{Ll}+(?=\p{Lu}))/u;

/** A prefix of fewer names does not form a group. */
export const FEWEST_OF_A_PREFIX = 3;

/** How much of a schema a signature shows. */
const LIMITS = { parameters: 16, enumValues: 6, nameLength: 60, depth: 3, length: 1_200 };

/**
 * A schema's parameters on one line, required ones first: `(owner: string, labels?: string[], state?: "open" | "closed")`.
 * Enough to call most tools, at a tenth of the schema. Limited in length for any schema.
 */
export function signature(schema: JsonSchema): string {
  return cutText(`(${parameters(schema, LIMITS.depth)})`, LIMITS.length);
}

function parameters(schema: JsonSchema, depth: number): string {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(properties);
  const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const most = depth === LIMITS.depth ? LIMITS.parameters : LIMITS.parameters / 2;
  const told = ordered
    .slice(0, most)
    .map(
      (name) => `${oneLine(name, LIMITS.nameLength)}${required.has(name) ? '' : '?'}: ${type(properties[name], depth)}`,
    );
  const rest = ordered.length - told.length;
  return [...told, ...(rest > 0 ? [`… ${rest} more`] : [])].join(', ');
}

function type(schema: unknown, depth: number): string {
  if (!isJsonObject(schema) || depth <= 0) return 'any';
  if (Array.isArray(schema.enum)) return oneOf(schema.enum);
  if (schema.const !== undefined) return oneOf([schema.const]);
  const kind = schema.type;
  if (Array.isArray(kind))
    return (
      kind
        .filter((name) => typeof name === 'string')
        .slice(0, 4)
        .map((name) => oneLine(name, LIMITS.nameLength))
        .join(' | ') || 'any'
    );
  switch (kind) {
    case 'array':
      return list(schema.items, depth);
    case 'object':
      return isJsonObject(schema.properties) ? `{ ${parameters(schema, depth - 1)} }` : 'object';
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return kind;
    default:
      return union(schema, depth);
  }
}

function list(items: unknown, depth: number): string {
  const item = type(items, depth - 1);
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function union(schema: JsonSchema, depth: number): string {
  const members = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(members)) return 'any';
  const kinds = members.slice(0, 4).map((member) => type(member, depth - 1));
  return [...new Set(kinds)].join(' | ') || 'any';
}

function oneOf(values: readonly unknown[]): string {
  const told = values.slice(0, LIMITS.enumValues).map((value) => constant(value));
  const rest = values.length - told.length;
  return [...told, ...(rest > 0 ? [`… ${rest} more`] : [])].join(' | ');
}

function constant(value: unknown): string {
  const short = typeof value === 'string' ? value.slice(0, LIMITS.nameLength) : value;
  return cutText(JSON.stringify(short) ?? 'null', LIMITS.nameLength);
}
