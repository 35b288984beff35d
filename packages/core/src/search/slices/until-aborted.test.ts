import { describe, expect, it } from 'vitest';
import { untilAborted } from './until-aborted.ts';

describe('untilAborted', () => {
  it('gives what the work gives, or its error', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(untilAborted(Promise.reject(new Error('down')), signal)).rejects.toThrow('down');
    await expect(untilAborted(Promise.resolve(7), undefined)).resolves.toBe(7);
  });

  it('ends when the caller no longer waits, though the work goes on', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(new Promise(() => {}), controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
