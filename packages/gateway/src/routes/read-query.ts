import { ApiError } from '../http/index.ts';

/** A whole number of the query string, from 1 on. Undefined if it is not given. */
export function readWhole(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new ApiError(400, `${name}: should be a whole number from 1 to ${most}`);
}

/** A time, or the start of a day in UTC, in milliseconds since 1970. `Date.parse` alone also reads numbers and names of months. */
export function readTime(name: string, text: string): number {
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ApiError(400, `${name}: should be a time in ISO 8601: 2027-01-31T00:00:00Z`);
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T|$)/;

/** An entry of a list that is read in pages. */
export interface Listed {
  readonly id: string;
}

/** A page of a list, with the ids that the pages around it begin at. */
export function pageOf(data: readonly Listed[], hasMore: boolean): object {
  return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
