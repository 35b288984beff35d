import { ApiError } from '../http/index.ts';

/** A whole number of the query string, from 1 on. Undefined if it is not given. */
export function readWhole(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new ApiError(400, `${name}: should be a whole number from 1 to ${most}`);
}

/** A time in milliseconds since 1970. */
export function readTime(name: string, text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new ApiError(400, `${name}: should be a time in ISO 8601: 2027-01-31T00:00:00Z`);
}

/** An entry of a list that is read in pages. */
export interface Listed {
  readonly id: string;
}

/** A page of a list, with the ids that the pages around it begin at. */
export function pageOf(data: readonly Listed[], hasMore: boolean): object {
  return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
