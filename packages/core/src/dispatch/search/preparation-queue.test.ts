import { describe, expect, it } from 'vitest';
import { MOST_WAITING, preparationQueue } from '../toolbox-context.ts';
import { someTurns } from './prepared-searchers.fixture.ts';

describe('preparations', () => {
  it('begin after the current turn of the event loop, even after one that failed', async () => {
    const enqueue = preparationQueue();
    const done: string[] = [];
    enqueue({}, () => Promise.reject(new Error('down')));
    enqueue({}, async () => void done.push('second'));
    await Promise.resolve();
    expect(done).toEqual([]);
    await someTurns();
    expect(done).toEqual(['second']);
    enqueue({}, async () => void done.push('later'));
    await someTurns();
    expect(done).toEqual(['second', 'later']);
  });

  it('are done one after the other, each owner’s once for all that wait', async () => {
    const enqueue = preparationQueue();
    const events: string[] = [];
    const [first, second] = [{}, {}];
    const work = (name: string) => async (): Promise<void> => {
      events.push(`${name} begins`);
      await new Promise<void>((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
    };
    enqueue(first, work('a'));
    enqueue(second, work('b'));
    enqueue(first, work('c'));
    await someTurns();
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('that are too many leave out those that waited longest', async () => {
    const enqueue = preparationQueue();
    const done: number[] = [];
    for (let each = 0; each < MOST_WAITING + 2; each += 1) enqueue({}, async () => void done.push(each));
    while (done.at(-1) !== MOST_WAITING + 1) await someTurns();
    expect(done).toEqual(Array.from({ length: MOST_WAITING }, (_, at) => at + 2));
  });
});
