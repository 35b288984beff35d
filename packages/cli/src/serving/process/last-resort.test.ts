import { EventEmitter } from 'node:events';
import type { LogEntry } from '@quartermaster/gateway';
import { describe, expect, it } from 'vitest';
import { installLastResort } from './last-resort.ts';

function watched() {
  const source = new EventEmitter();
  const log: LogEntry[] = [];
  const clock = { time: 0 };
  let stops = 0;
  const release = installLastResort({
    source,
    logger: { log: (entry) => log.push(entry) },
    onTooMany: () => {
      stops += 1;
    },
    now: () => clock.time,
  });
  return { source, log, clock, release, stops: () => stops };
}

describe('the last resort', () => {
  it('logs unhandled errors without their message, and continues', () => {
    const { source, log, stops } = watched();
    source.emit('uncaughtException', Object.assign(new Error('secret'), { code: 'ECONNRESET' }));
    source.emit('unhandledRejection', 'secret');
    expect(log).toMatchObject([
      {
        level: 'error',
        work: 'uncaughtException',
        error: 'Error',
        code: 'ECONNRESET',
        place: expect.stringMatching(/^at /),
      },
      { level: 'error', work: 'unhandledRejection', error: 'string' },
    ]);
    expect(JSON.stringify(log)).not.toContain('secret');
    expect(stops()).toBe(0);
  });

  it('asks to stop once if errors occur too often', () => {
    const { source, clock, stops } = watched();
    for (let count = 0; count < 100; count += 1) {
      clock.time += 10_000;
      source.emit('unhandledRejection', new Error('now and then'));
    }
    expect(stops()).toBe(0);
    for (let count = 0; count < 100; count += 1) source.emit('unhandledRejection', new Error('for good'));
    expect(stops()).toBe(1);
  });

  it('stops listening when it is released', () => {
    const { source, release } = watched();
    release();
    expect(source.listenerCount('uncaughtException') + source.listenerCount('unhandledRejection')).toBe(0);
  });
});
