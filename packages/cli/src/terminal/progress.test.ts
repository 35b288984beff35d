import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startProgress } from './progress.ts';

function watch(isTTY: boolean) {
  let text = '';
  let time = 0;
  const stderr = Object.assign(
    new Writable({
      write(chunk, _, done) {
        text += String(chunk);
        done();
      },
    }),
    { isTTY },
  );
  const progress = startProgress({ stderr }, { now: () => time });
  return {
    progress,
    text: () => text,
    at(milliseconds: number) {
      time = milliseconds;
    },
  };
}

describe('progress', () => {
  it('is silent for half a second, then writes ten times a second at most, and clears its line', () => {
    const { progress, text, at } = watch(true);
    at(499);
    progress.update('Measuring', 1, 2000);
    expect(text()).toBe('');
    at(500);
    progress.update('Measuring', 1500, 2000);
    progress.update('Measuring', 1501, 2000);
    at(600);
    progress.update('Measuring', 1600, 2000);
    progress.end();
    expect(text().split('\r\u001b[K')).toEqual([
      '',
      'Measuring: 1,500 of 2,000 (75%)',
      'Measuring: 1,600 of 2,000 (80%)',
      '',
    ]);
  });

  it('writes nothing where stderr is not a terminal, and clears nothing that it has not written', () => {
    const { progress, text, at } = watch(false);
    at(10_000);
    progress.update('Measuring', 1, 2);
    progress.end();
    expect(text()).toBe('');
  });
});
