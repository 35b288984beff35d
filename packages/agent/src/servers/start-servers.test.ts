import { expect, it } from 'vitest';
import { startServers } from './start-servers.ts';

it('the process stays as long as servers may take to start, and no longer', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const controller = new AbortController();
  const never = { type: 'in-process', create: () => new Promise<never>(() => {}) } as const;
  const before = timers();
  const started = startServers({ servers: { never }, policies: {}, cwd: '/', env: {}, signal: controller.signal });
  expect(timers()).toBeGreaterThan(before);
  controller.abort();
  await expect(started).rejects.toThrow();
  // Not the same number: a timer of the test runner may have ended meanwhile.
  expect(timers()).toBeLessThanOrEqual(before);
});
