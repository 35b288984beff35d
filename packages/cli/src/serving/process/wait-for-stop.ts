import { constants } from 'node:os';
import type { CommandIo } from '../../command-io.ts';
import { watchStopSignals } from './watch-stop-signals.ts';

export interface StopWait {
  /** Resolves at the first signal. */
  readonly stopped: Promise<void>;
  /** Stops handling signals. */
  release(): void;
}

/** Waits for the first stop signal. After that, another one ends the process at once, with the status that shells use for it. */
export function waitForStop(io: Pick<CommandIo, 'stderr'>, notice: string, onReload?: () => void): StopWait {
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((done) => {
    resolve = done;
  });
  // Nothing can be printed to a closed terminal; just finish and stop.
  io.stderr.on('error', () => undefined);
  const release = watchStopSignals({
    onReload,
    onStop() {
      io.stderr.write(`${notice}\n`);
      resolve();
    },
    onForce(signal) {
      process.exit(128 + constants.signals[signal]);
    },
  });
  return { stopped, release };
}
