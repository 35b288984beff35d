import { constants } from 'node:os';
import { type CommandIo, write } from '../command-io.ts';
import { watchStopSignals } from './watch-stop-signals.ts';

export interface StopWait {
  /** Resolves at the first signal. */
  readonly stopped: Promise<void>;
  /** Signals are no longer ours. */
  release(): void;
}

/** Waits for the first signal to stop; from then on a further one ends the process where it stands, with the status that shells give it. */
export function waitForStop(io: Pick<CommandIo, 'stderr'>, notice: string): StopWait {
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((done) => {
    resolve = done;
  });
  const release = watchStopSignals({
    onStop() {
      // Told or not, for a terminal that is gone can't be told: what matters is to stop.
      write(io.stderr, `${notice}\n`).catch(() => undefined);
      resolve();
    },
    onForce(signal) {
      process.exit(128 + constants.signals[signal]);
    },
  });
  return { stopped, release };
}
