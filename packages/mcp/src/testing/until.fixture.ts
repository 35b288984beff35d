import { setImmediate, setTimeout } from 'node:timers/promises';

/** Waits for something that other processes bring about; the test's own timeout is the limit. */
export async function until(isSo: () => boolean): Promise<void> {
  await setImmediate();
  while (!isSo()) await setTimeout(5);
}
