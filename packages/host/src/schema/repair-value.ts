import { isJsonObject, type Json } from '@quartermaster/core/catalog';
import { hasType } from './check-type-and-enum.ts';
import type { Failure, TypeName } from './failure.ts';
import { keysTo } from './place.ts';
import type { Verdict } from './verdict.ts';

/** A string that contains a value can contain one that has to be repaired itself. */
const MOST_ROUNDS = 4;
/** More problems than this are not a slip. */
const MOST_REPAIRS = 20;
const MOST_PARSED_LENGTH = 1_000_000;

/** Marks a value that is to be left out. */
const NOTHING: unique symbol = Symbol('nothing');
type Replacement = Json | typeof NOTHING;

/**
 * Repairs a value if only the form of its parts is wrong and the meaning is clear; undefined otherwise:
 * `"5"` for a number, `"true"` for a boolean, JSON in a string for a list or an object, a number or boolean for a
 * string, a single value for a list, null for an optional field. Nothing is rounded, dropped or guessed, and
 * the result passes the same check.
 */
export function repairValue(value: Json, first: Verdict, check: (value: Json) => Verdict): Json | undefined {
  let repaired = value;
  let verdict = first;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { failures } = verdict;
    if (failures.length > MOST_REPAIRS) return undefined;
    for (const failure of failures) {
      const next = repairOne(repaired, failure, check);
      if (next === undefined) return undefined;
      repaired = next;
    }
    verdict = check(repaired);
    if (verdict.truth !== 'invalid') return repaired;
  }
  return undefined;
}

/** The value with one failure repaired: by the first replacement that its place accepts, else the first that gets further. */
function repairOne(whole: Json, failure: Failure, check: (value: Json) => Verdict): Json | undefined {
  if (failure.kind !== 'expected' || failure.place === undefined) return undefined;
  const keys = keysTo(failure.place);
  let inner: Json | undefined;
  for (const replacement of replacements(failure)) {
    const candidate = replaceAt(whole, keys, replacement);
    if (candidate === undefined) continue;
    const left = check(candidate).failures.filter((other) => isWithin(keys, other));
    if (left.length === 0) return candidate;
    if (left.every((other) => keysTo(other.place).length > keys.length)) inner ??= candidate;
  }
  return inner;
}

function* replacements({ value, types, allowed }: Extract<Failure, { kind: 'expected' }>): Generator<Replacement> {
  const wants = (type: TypeName): boolean =>
    types.some(({ name }) => name === type) || allowed.some((item) => hasType(item, type));
  if (typeof value === 'string') {
    const parsed = parseJson(value);
    if (typeof parsed === 'number' && (wants('number') || wants('integer'))) yield parsed;
    if (typeof parsed === 'boolean' && wants('boolean')) yield parsed;
    if (parsed === null && wants('null')) yield parsed;
    if (Array.isArray(parsed) && wants('array')) yield parsed;
    if (isJsonObject(parsed) && wants('object')) yield parsed;
  }
  const isPlain =
    typeof value === 'boolean' || (typeof value === 'number' && isExact(value) && !String(value).includes('e'));
  if (isPlain && wants('string')) yield String(value);
  if (value === null) yield NOTHING;
  else if (wants('array') && !Array.isArray(value)) yield [value];
}

/** The JSON in a string; numbers only if no digit is lost. Undefined if there is none. */
function parseJson(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MOST_PARSED_LENGTH) return undefined;
  if (/^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  try {
    const parsed: Json = JSON.parse(trimmed);
    return typeof parsed === 'number' && !isExact(parsed, trimmed) ? undefined : parsed;
  } catch {
    return undefined;
  }
}

/** At most 15 significant digits survive in a double. */
function isExact(value: number, text = String(value)): boolean {
  return Number.isFinite(value) && text.replace(/e.*$/i, '').replace(/\D/g, '').length <= 15;
}

function isWithin(keys: readonly (string | number)[], failure: Failure): boolean {
  const others = keysTo(failure.place);
  return keys.every((key, index) => others[index] === key);
}

/** A copy with one part replaced; the original stays as it is. */
function replaceAt(whole: Json, keys: readonly (string | number)[], replacement: Replacement): Json | undefined {
  const [key, ...rest] = keys;
  if (key === undefined) return replacement === NOTHING ? undefined : replacement;
  if (Array.isArray(whole) && typeof key === 'number') {
    const child = replaceAt(whole[key] ?? null, rest, replacement);
    return child === undefined ? undefined : whole.with(key, child);
  }
  if (!isJsonObject(whole) || !Object.hasOwn(whole, key)) return undefined;
  if (rest.length === 0 && replacement === NOTHING) {
    return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key));
  }
  const child = replaceAt(whole[key] ?? null, rest, replacement);
  return child === undefined ? undefined : { ...whole, [key]: child };
}
