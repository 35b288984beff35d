/** A clock that runs what is due when it is moved. */
export function movedClock(start: number) {
  let time = start;
  let waiting: { readonly at: number; run(): void }[] = [];
  return {
    now: () => time,
    after(delayMs: number, run: () => void) {
      const entry = { at: time + delayMs, run };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((one) => one !== entry);
      };
    },
    move(ms: number) {
      time += ms;
      const due = waiting.filter(({ at }) => at <= time);
      waiting = waiting.filter(({ at }) => at > time);
      for (const { run } of due) run();
    },
  };
}
