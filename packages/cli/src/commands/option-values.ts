import { InvalidArgumentError, Option } from 'commander';
import { type Floor, parseFloors } from '../evaluate/index.ts';

/** Reads a whole number within limits, for commander, which adds the option's name to the message. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
    throw new InvalidArgumentError(`Allowed: a whole number${range}.`);
  };
}

/** Reads one of several patterns; an empty one matches nothing. For commander, which calls it once for each. */
export function pattern(text: string, before: readonly string[] | undefined): readonly string[] {
  if (text.trim() === '') throw new InvalidArgumentError('A pattern is empty; * matches any text.');
  return [...(before ?? []), text];
}

/** Like `duration`, but above zero. */
export function futureDuration(text: string): number {
  const ms = duration(text);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('Allowed: a time above 0, such as 30m or 90d.');
}

/** Reads a duration such as `30m` or `90d` as milliseconds. */
export function duration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw new InvalidArgumentError('Allowed: a whole number with s, m, h or d, such as 30m or 90d.');
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a number above zero, with or without decimals. */
export function positiveNumber(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= max) return value;
    throw new InvalidArgumentError(`Allowed: a number above 0 and up to ${max}.`);
  };
}

export function floorOption(): Option {
  return new Option(
    '--floor <figures>',
    'fail if a figure is lower, such as recall@5=80 or hit@1=60,mrr=70 (percent)',
  ).argParser(readFloors);
}

function readFloors(text: string): readonly Floor[] {
  const floors = parseFloors(text);
  if (typeof floors === 'string') throw new InvalidArgumentError(floors);
  return floors;
}
