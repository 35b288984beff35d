/** A place in a JSON text: the keys and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[];

/** Where a text stops being JSON (an offset; its length if it ends too early), or undefined for valid JSON. */
export function findJsonError(text: string): number | undefined {
  const scan = scanJson(text);
  let step = scan.next();
  while (step.done !== true) step = scan.next();
  return step.value;
}

/** The offset at which the value under a path starts, or undefined if the text has none there. */
export function findJsonPath(text: string, path: JsonPath): number | undefined {
  let matched = 0;
  if (path.length === 0) return skipSpace(text, 0);
  for (const { depth, key, offset } of scanJson(text)) {
    if (depth === 0) continue;
    matched = Math.min(matched, depth - 1);
    if (matched !== depth - 1 || key !== path[matched]) continue;
    matched += 1;
    if (matched === path.length) return offset;
  }
  return undefined;
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i !== -1 && i < offset; i = text.indexOf('\n', i + 1)) line += 1;
  return line;
}

interface Value {
  readonly depth: number;
  /** The key or index in the container; undefined for the whole text. */
  readonly key: string | number | undefined;
  readonly offset: number;
}

interface Container {
  readonly isObject: boolean;
  /** The index of the next element; not used in objects. */
  index: number;
}

/**
 * Walks a JSON text (RFC 8259) and yields where each value starts, in order; returns where the text is broken. It only finds
 * places, which `JSON.parse` does not do reliably; values are read by `JSON.parse`. Has its own stack, so depth costs nothing.
 */
function* scanJson(text: string): Generator<Value, number | undefined> {
  const open: Container[] = [];
  let i = skipSpace(text, 0);
  let key: string | number | undefined;
  for (;;) {
    yield { depth: open.length, key, offset: i };
    const first = text[i];
    if (first === '{' || first === '[') {
      open.push({ isObject: first === '{', index: 0 });
      i = skipSpace(text, i + 1);
      if (text[i] !== (first === '{' ? '}' : ']')) {
        const member = enterMember(text, i, open[open.length - 1]);
        if (member.broken) return member.at;
        ({ key, at: i } = member);
        continue;
      }
    } else {
      const end = scalarEnd(text, i);
      if (end < 0) return -end - 1;
      i = end - 1;
    }
    // The value is complete, or `i` is at the bracket that completes its container.
    if (first === '{' || first === '[') open.pop();
    i = skipSpace(text, i + 1);
    for (let top = open[open.length - 1]; top !== undefined; top = open[open.length - 1]) {
      if (text[i] !== (top.isObject ? '}' : ']')) break;
      open.pop();
      i = skipSpace(text, i + 1);
    }
    const container = open[open.length - 1];
    if (container === undefined) return i === text.length ? undefined : i;
    if (text[i] !== ',') return i;
    container.index += 1;
    const member = enterMember(text, skipSpace(text, i + 1), container);
    if (member.broken) return member.at;
    ({ key, at: i } = member);
  }
}

interface Member {
  readonly broken: boolean;
  readonly at: number;
  readonly key: string | number | undefined;
}

/** From the start of a member to the start of its value. */
function enterMember(text: string, start: number, container: Container | undefined): Member {
  if (container === undefined || !container.isObject) return { broken: false, at: start, key: container?.index };
  const end = text[start] === '"' ? scalarEnd(text, start) : -start - 1;
  if (end < 0) return { broken: true, at: -end - 1, key: undefined };
  const colon = skipSpace(text, end);
  if (text[colon] !== ':') return { broken: true, at: colon, key: undefined };
  return { broken: false, at: skipSpace(text, colon + 1), key: JSON.parse(text.slice(start, end)) as string };
}

/** The offset after a string, number or literal; `-offset - 1` of the place where it is broken. */
function scalarEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  SCALAR.lastIndex = start;
  return SCALAR.test(text) ? SCALAR.lastIndex : -start - 1;
}

/** A loop instead of a regular expression: a hostile string of millions of escapes would exhaust the matcher's stack. */
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i + 1;
    if (unit < FIRST_PRINTABLE) return -i - 1;
    if (unit !== BACKSLASH) continue;
    ESCAPE.lastIndex = i;
    if (!ESCAPE.test(text)) return -i - 1;
    i = ESCAPE.lastIndex - 1;
  }
  return -text.length - 1;
}

function skipSpace(text: string, start: number): number {
  let i = start;
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\t' || text[i] === '\r') i += 1;
  return i;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
