/** How many callers go on in one round of the event loop. */
const TURNS_PER_ROUND = 2;

let waiting: (() => void)[] = [];

/**
 * Resolves in a later round of the event loop, in the order of the calls and only a few in each round: however many callers have a lot
 * to do, everything else has to wait for a few of them only.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  const next = waiting.slice(0, TURNS_PER_ROUND);
  waiting = waiting.slice(TURNS_PER_ROUND);
  for (const resolve of next) resolve();
  if (waiting.length > 0) setImmediate(goOn);
}
