import type { Json } from '@quartermaster/core/catalog';

const MOST_TEXT = 60;
const MOST_NAME = 64;
const MOST_NAMES = 5;

/** A short description of a value, with its type: `the string "abc"`, `an array of 3 items`. */
export function renderValue(value: Json): string {
  if (typeof value === 'string') return `the string ${renderText(value)}`;
  if (typeof value === 'number') return `the number ${String(value)}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${count(value.length, 'item')}`;
  const names = Object.keys(value);
  return names.length === 0 ? 'an empty object' : `an object with ${renderNames(names, MOST_NAMES)}`;
}

/** A value as JSON, cut short. */
export function renderJson(value: Json): string {
  if (typeof value === 'string') return renderText(value);
  return typeof value === 'object' && value !== null ? cut(shallowJson(value), MOST_TEXT * 2) : String(value);
}

/** A name in code marks; odd characters are escaped as in JSON. */
export function renderName(name: string): string {
  const short = cut(name, MOST_NAME);
  return /^[\w.$:/@… -]+$/u.test(short) ? `\`${short}\`` : `\`${JSON.stringify(short)}\``;
}

/** Names as an enumeration: `a`, `b` and 3 more. `most` are listed, the others counted. */
export function renderNames(names: readonly string[], most: number): string {
  return enumerate(names.slice(0, most).map(renderName), { joiner: 'and', total: names.length });
}

/** Parts joined into one phrase; `total` says how many there are in all. */
export function enumerate(
  parts: readonly string[],
  options: { readonly joiner: 'and' | 'or'; readonly total?: number },
): string {
  const { joiner, total = parts.length } = options;
  const all = total > parts.length ? [...parts, `${total - parts.length} more`] : parts;
  const last = all.at(-1) ?? '';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} ${joiner} ${last}`;
}

export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** A text cut to a number of characters, never in the middle of a surrogate pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function renderText(text: string): string {
  return JSON.stringify(cut(text, MOST_TEXT));
}

/** JSON down to two levels and eight entries each, so that its cost doesn't depend on the value. */
function shallowJson(value: Json, level = 0): string {
  if (typeof value === 'string') return renderText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  const rest = entries.length > 8 ? [',…'] : [];
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (level > 2) return entries.length === 0 ? `${open}${close}` : `${open}…${close}`;
  const parts = entries.slice(0, 8).map(([key, child]) => {
    const text = shallowJson(child, level + 1);
    return Array.isArray(value) ? text : `${renderText(key)}:${text}`;
  });
  return `${open}${parts.join(',')}${rest.join('')}${close}`;
}
