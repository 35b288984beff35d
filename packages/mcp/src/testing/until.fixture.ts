import { setTimeout } from 'node:timers/promises';

const LOOK_EVERY_MS = 5;

/** Waits for something that other processes bring about; the test's own timeout is the limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(LOOK_EVERY_MS);
}
