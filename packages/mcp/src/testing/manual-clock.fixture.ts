import type { Clock } from '@quartermaster/core/internal';

export interface ManualClock extends Clock {
  /** Lets time pass, running what falls due in order. */
  advance(ms: number): void;
  /** When the pending timers are due, from now. */
  readonly pending: readonly number[];
}

/** A clock that stands still until it is moved. */
export function manualClock(): ManualClock {
  let time = 1_000_000;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => time,
    after(delayMs, run) {
      const timer = { at: time + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((left, right) => left.at - right.at)[0];
        if (due === undefined) break;
        timers = timers.filter((timer) => timer !== due);
        time = due.at;
        due.run();
      }
      time = end;
    },
    get pending() {
      return timers.map((timer) => timer.at - time);
    },
  };
}
