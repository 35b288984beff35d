/**
 * A query with what looks like an operator in it set apart. Whether it is one depends on the catalog: an operator that
 * does not resolve is read as plain words.
 */
export interface ParsedQuery {
  /** The query. */
  readonly text: string;
  /** The names of `select:A,B`, in order; empty without it. */
  readonly select: readonly string[];
  /** Each `+word` and `server:name`, where it stands. */
  readonly operators: readonly QueryOperator[];
}

export interface QueryOperator {
  readonly kind: 'required' | 'server';
  /** The word, or the server's name. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Reads the operators of a query. A value with spaces is put in double quotes: `server:"Google Maps"`. */
export function parseQuery(text: string): ParsedQuery {
  const operators: QueryOperator[] = [];
  if (text.includes('+') || text.includes(':')) {
    for (const found of text.matchAll(OPERATOR)) {
      if (operators.length === MOST_OPERATORS) break;
      const value = found[2] ?? found[3] ?? found[4] ?? '';
      const end = found.index + found[0].length;
      const kind = found[2] === undefined ? 'server' : 'required';
      operators.push({ kind, value, start: end - (found[0].length - (found[1]?.length ?? 0)), end });
    }
  }
  return { text, select: parseSelect(text), operators };
}

/** The text without some of its operators: a required word stays as a word, a server goes. */
export function removeOperators(text: string, operators: readonly QueryOperator[]): string {
  let rest = '';
  let at = 0;
  for (const operator of operators) {
    rest += text.slice(at, operator.start);
    rest += operator.kind === 'required' ? operator.value : '';
    at = operator.end;
  }
  return rest + text.slice(at);
}

/**
 * What looks like an operator and is none that applies, as it is written. `select:` takes with it all that follows, less the
 * operators in it that do apply.
 */
export function unresolvedOperators(parsed: ParsedQuery, applied: readonly QueryOperator[]): readonly string[] {
  if (parsed.select.length > 0) return [removeOperators(parsed.text, applied).trim()];
  if (applied.length === parsed.operators.length) return NONE;
  return parsed.operators
    .filter((operator) => !applied.includes(operator))
    .map(({ start, end }) => parsed.text.slice(start, end));
}

function parseSelect(text: string): string[] {
  const names = SELECT.exec(text)?.[1];
  if (names === undefined) {
    return [];
  }
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MOST_SELECTED);
}

const SELECT = /^\s*select:([\s\S]+)$/i;
/** `+word`, `server:"two words"` or `server:word`, at the start or after a space. */
const OPERATOR = /(^|\s)(?:\+([\p{L}\p{N}][^\s,;]*)|server:(?:"([^"]+)"|([^\s"]+)))/giu;
const MOST_SELECTED = 256;
/** What is written like an operator after these is read as words: every tool is asked about each of them. */
const MOST_OPERATORS = 32;
const NONE: readonly string[] = [];
