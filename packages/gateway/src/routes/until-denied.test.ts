import { expect, it } from 'vitest';
import { movedClock } from '../moved-clock.fixture.ts';
import { untilDenied } from './until-denied.ts';

const bytes = new TextEncoder().encode('data: 1\n\n');

/** A listener whose right to go on is asked for by the clock alone. */
function listen(source: ReadableStream<Uint8Array>, mayGoOn: () => Promise<boolean>) {
  const clock = movedClock(0);
  let checks = 0;
  const counted = (): Promise<boolean> => {
    checks += 1;
    return mayGoOn();
  };
  const reader = untilDenied(source, { after: clock.after, mayGoOn: counted }).getReader();
  const minute = async (): Promise<number> => {
    const before = checks;
    for (let quarter = 0; quarter < 4; quarter += 1) {
      clock.move(15_000);
      await new Promise(setImmediate);
    }
    return checks - before;
  };
  return { reader, minute };
}

it('ends the stream and its source at the first check that denies it', async () => {
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    cancel: () => {
      isCancelled = true;
    },
  });
  let may = true;
  const { reader, minute } = listen(source, async () => may);
  expect((await reader.read()).value).toEqual(bytes);
  expect(await minute()).toBe(4);
  may = false;
  expect(await minute()).toBe(1);
  expect(await reader.read()).toEqual({ done: true, value: undefined });
  expect(isCancelled).toBe(true);
});

it('ends the stream of a client that is denied, even if its source fails to stop', async () => {
  const source = new ReadableStream<Uint8Array>({ cancel: () => Promise.reject(new Error('it will not stop')) });
  const { reader, minute } = listen(source, async () => false);
  expect(await minute()).toBe(1);
  expect(await reader.read()).toEqual({ done: true, value: undefined });
});

it('goes on while the store is unavailable, until its client leaves', async () => {
  const source = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes) });
  const { reader, minute } = listen(source, () => Promise.reject(new Error('store unavailable')));
  expect(await minute()).toBe(4);
  expect((await reader.read()).value).toEqual(bytes);
  await reader.cancel();
  expect(await minute()).toBe(0);
});

it('stops checking when its source fails', async () => {
  const source = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('connection lost')) });
  const { reader, minute } = listen(source, async () => true);
  await expect(reader.read()).rejects.toThrow('connection lost');
  expect(await minute()).toBe(0);
});
