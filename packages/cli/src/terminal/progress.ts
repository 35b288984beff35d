import type { CommandIo } from '../command-io.ts';
import { startOf } from './columns.ts';
import { count } from './counted.ts';

/** Reports the progress of a long job on stderr. */
export interface Progress {
  /** Call it as often as you like; it writes at most a few times a second. */
  update(what: string, done?: number, total?: number): void;
  /** Writes at once: for long work that can't report its progress. */
  announce(what: string): void;
  /** Clears the line, so that what follows starts on an empty one. */
  end(): void;
}

export interface ProgressOptions {
  /** A clock in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/** Writes nothing during the first half second, and nothing at all if stderr is not a terminal. */
export function startProgress(
  { stderr }: Pick<CommandIo, 'stderr'>,
  { now = () => performance.now() }: ProgressOptions = {},
): Progress {
  let next = now() + QUIET_MS;
  let isShown = false;
  const show = (text: string): void => {
    next = now() + INTERVAL_MS;
    isShown = true;
    // A line that wraps could not be cleared.
    stderr.write(`${CLEAR}${startOf(text, (stderr.columns || 80) - 1)}`);
  };
  return {
    update(what, done, total) {
      if (stderr.isTTY === true && now() >= next) show(`${what}${describe(done, total)}`);
    },
    announce(what) {
      if (stderr.isTTY === true) show(`${what}…`);
    },
    end() {
      if (isShown) stderr.write(CLEAR);
      isShown = false;
    },
  };
}

/** Names work on stderr while it runs, if it can't report its progress. */
export async function whileShowing<Result>(
  io: Pick<CommandIo, 'stderr'>,
  what: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const progress = startProgress(io);
  progress.announce(what);
  try {
    return await act();
  } finally {
    progress.end();
  }
}

function describe(done: number | undefined, total: number | undefined): string {
  if (done === undefined) return '…';
  if (total === undefined) return `: ${count(done)}`;
  return `: ${count(done)} of ${count(total)} (${Math.floor((done / Math.max(1, total)) * 100)}%)`;
}

const QUIET_MS = 500;
const INTERVAL_MS = 100;
/** Returns to the start of the line and erases it. */
const CLEAR = '\r\u001b[K';
