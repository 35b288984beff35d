import { editDistance } from './edit-distance.ts';
import { SettingError } from './errors.ts';

/** The names of all options of a type. Leaving one out, or adding one that the type lacks, does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** The names in a text, with a space between each two. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The text, if it has all of these names and no other. */
type Listing<Names, Text extends string> = [Names] extends [Words<Text>]
  ? [Words<Text>] extends [Names]
    ? Text
    : never
  : never;

/**
 * Throws a `SettingError` for options that are not an object, or that contain a name which is not allowed. A misspelled option would otherwise
 * silently have no effect. A name whose value is `undefined` is accepted.
 *
 * The names are the keys of an object, such as the defaults, or a text with a space between each two. Such a text does not compile unless
 * it has all names of the options' type, except those that have a default.
 */
export function checkOptionNames(owner: string, options: unknown, allowed: object): void;
export function checkOptionNames<Options, const Names extends string, Defaults extends object = object>(
  owner: string,
  options: Options,
  names: Names & Listing<Exclude<keyof Options, keyof Defaults>, Names>,
  defaults?: Defaults,
): void;
export function checkOptionNames(owner: string, options: unknown, names: object | string, defaults: object = {}): void {
  const allowed = [...(typeof names === 'string' ? names.split(' ') : Object.keys(names)), ...Object.keys(defaults)];
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refusal(owner, `options are ${show(options).slice(0, 100)}; expected an object with some of:`, allowed);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || allowed.includes(name)) continue;
    throw refusal(owner, `unknown option ${JSON.stringify(name)}; allowed:`, allowed, describeNearest(name, allowed));
  }
}

/** The option that a misspelled name probably means. */
function describeNearest(name: string, allowed: readonly string[]): string {
  const asked = name.slice(0, 64).toLowerCase();
  const most = Math.max(1, Math.floor(asked.length / 3));
  const [nearest] = allowed
    .map((option) => ({ option, distance: editDistance(asked, option.toLowerCase(), most) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((left, right) => left.distance - right.distance);
  return nearest === undefined ? '' : `; did you mean ${nearest.option}?`;
}

function refusal(owner: string, problem: string, allowed: readonly string[], hint = ''): SettingError {
  const message = `${owner}: ${problem} ${allowed.toSorted().join(', ')}${hint}`;
  return wrongSetting(owner, message);
}

/** A setting that is one of some texts. Throws a `SettingError` that lists the allowed ones for any other value. */
export function readChoice<Choice extends string>(setting: string, value: unknown, allowed: readonly Choice[]): Choice {
  const found = allowed.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw notAllowed(setting, value, allowed.join(', '));
}

/** A setting that is a whole number. Throws a `SettingError` with the allowed range for any other value. */
export function readWholeNumber(
  setting: string,
  value: unknown,
  min = 1,
  max: number = Number.POSITIVE_INFINITY,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw notAllowed(setting, value, `a whole number from ${min}${max === Number.POSITIVE_INFINITY ? '' : ` to ${max}`}`);
}

/** The error for a setting with a value that is not allowed. */
export function notAllowed(setting: string, value: unknown, allowed: string): SettingError {
  return wrongSetting(setting, `${setting} is ${show(value).slice(0, 200)}; allowed: ${allowed}`, { value });
}

/** A value as JSON, where it can be written so: one in the wrong place may well refer to itself. */
function show(value: unknown): string {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return String(value);
  try {
    return JSON.stringify(value) ?? 'an object';
  } catch {
    return Array.isArray(value) ? 'a list' : 'an object';
  }
}

/** The error for a setting that is wrong in another way. */
export function wrongSetting(setting: string, message: string, more: object = {}): SettingError {
  return new SettingError('invalid_setting', message, { context: { setting, ...more } });
}
