import { locateTools } from '../catalogs/index.ts';

const BEGINNING_BYTES = 4096;

/** How far a body is searched for its tools, on the main thread: that takes some milliseconds. */
const MOST_SEARCHED_BYTES = 2 * 1024 * 1024;

/** The first bytes of a body's tools, by which a worker that knows them is chosen; of the body itself if they come late. */
export function beginningOfTools(body: Buffer): Buffer {
  const start = locateTools(body.subarray(0, MOST_SEARCHED_BYTES)) ?? 0;
  return body.subarray(start, start + BEGINNING_BYTES);
}
