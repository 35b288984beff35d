import { describe, expect, it } from 'vitest';
import { untilAborted } from './clock.ts';

describe('untilAborted', () => {
  it('gives what the work gives, or its error', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(untilAborted(Promise.reject(new Error('down')), signal)).rejects.toThrow('down');
    await expect(untilAborted(Promise.resolve(7), undefined)).resolves.toBe(7);
  });

  it('ends when the caller gives up, even if the work continues', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(new Promise(() => {}), controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(untilAborted(new Promise(() => {}), controller.signal)).rejects.toThrow('gone');
  });

  it('reports an error of the work even if no one waits', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', hear);
    await expect(untilAborted(Promise.reject(new Error('down')), AbortSignal.abort('gone'))).rejects.toBe('gone');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });
});
