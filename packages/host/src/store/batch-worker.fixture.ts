import { appendFileSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { ClaimedItem } from './batch-store.ts';
import { openStore, type StoreLocation } from './open-store.ts';

/**
 * A replica in its own process, which can be killed at any moment. It works on whatever it can claim until there is nothing
 * left, and writes each upstream call and each commit into a log before it goes on, a line at a time.
 * Arguments: the store's location as JSON, the log, a file that holds the time, and after how
 * many lines it kills itself, if at all.
 */
const [location = '', log = '', clock = '', killAfter = ''] = process.argv.slice(2);
const LEASE_MS = 60_000;
let lines = 0;

const store = await openStore({
  ...(JSON.parse(location) as StoreLocation),
  now: () => Number(readFileSync(clock, 'utf8')),
});
while (true) {
  const items = await store.batches.claim({ limit: 4, leaseMs: LEASE_MS });
  if (items.length === 0) break;
  await Promise.all(items.map(workOn));
}
await store.close();

async function workOn(item: ClaimedItem): Promise<void> {
  note('call', item);
  await setImmediate();
  const result = JSON.stringify({ type: 'succeeded', by: process.pid, attempt: item.attempt });
  note(await store.batches.complete(item, { outcome: 'succeeded', result }), item);
}

function note(what: 'call' | 'committed' | 'lost', item: ClaimedItem): void {
  appendFileSync(log, `${what} ${process.pid} ${item.position}\n`);
  process.stdout.write(`${what}\n`);
  lines += 1;
  if (lines === Number(killAfter)) process.kill(process.pid, 'SIGKILL');
}
