import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much may gather. Twice as much, and the engine begins to look through the whole heap. */
const MOST_BYTES = 4 * 1024 * 1024;

type Collect = (options: { readonly type: 'minor' }) => void;

let noted = 0;
let collect: Collect | undefined;

/**
 * Tells of memory outside of the heap that was just let go of: the pieces in which a body comes. They weigh next to nothing inside
 * the heap, so that the engine is late to collect them, and then answers their sum by marking all that it holds, several times a
 * second under load and once for every large body. Collecting the young objects alone takes a millisecond; without it, a known
 * body of 10,000 tools takes twice as long. It is a help, no need: where it can't be had, nothing else changes.
 */
export function noteGarbage(bytes: number): void {
  noted += bytes;
  if (noted < MOST_BYTES) return;
  noted = 0;
  collect ??= findCollect();
  collect({ type: 'minor' });
}

function findCollect(): Collect {
  const given = (globalThis as { readonly gc?: unknown }).gc;
  if (isCollect(given)) return given;
  if (!canSetFlags(process.execArgv, process.env.NODE_OPTIONS)) return doNothing;
  try {
    return exposeCollect();
  } catch {
    return doNothing;
  }
}

/** The flag is read when a context is made; this one, about a millisecond's work, is made for that alone. */
function exposeCollect(): Collect {
  setFlagsFromString('--expose-gc');
  try {
    const exposed: unknown = runInNewContext('globalThis.gc');
    return isCollect(exposed) ? exposed : doNothing;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

/** Setting a flag after they were frozen, for which somebody has to ask, ends the process. */
export function canSetFlags(execArgv: readonly string[], nodeOptions = ''): boolean {
  return ![...execArgv, nodeOptions].some((option) => /freeze[-_]flags/.test(option));
}

function isCollect(value: unknown): value is Collect {
  return typeof value === 'function';
}

function doNothing(): void {}
