import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much may gather. Twice as much, and the engine begins to look through the whole heap. */
const MOST_BYTES = 4 * 1024 * 1024;

let noted = 0;
let collect: ((options: { readonly type: 'minor' }) => void) | undefined;

/**
 * Tells of memory outside of the heap that was just let go of: the pieces in which a body comes. They weigh next to nothing inside
 * the heap, so that the engine is late to collect them, and then answers their sum by marking all that it holds, several times a
 * second under load and once for every large body. Collecting the young objects alone takes a millisecond.
 */
export function noteGarbage(bytes: number): void {
  noted += bytes;
  if (noted < MOST_BYTES) return;
  noted = 0;
  collect ??= exposeCollect();
  collect({ type: 'minor' });
}

/** The flag is read when a context is made; this one is made for that alone. */
function exposeCollect(): NonNullable<typeof collect> {
  setFlagsFromString('--expose-gc');
  const exposed: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof exposed === 'function' ? (exposed as NonNullable<typeof collect>) : () => undefined;
}
