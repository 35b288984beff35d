import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { canSetFlags, noteGarbage } from './note-garbage.ts';

it('leaves nothing exposed behind', () => {
  const before: unknown = runInNewContext('typeof globalThis.gc');
  for (let piece = 0; piece < 256; piece += 1) noteGarbage(64 * 1024);
  expect(runInNewContext('typeof globalThis.gc')).toBe(before);
});

it.each<[readonly string[], string | undefined, boolean]>([
  [[], undefined, true],
  [['--import', './x.mjs'], '--max-old-space-size=4096', true],
  [['--freeze-flags-after-init'], undefined, false],
  [[], '--max-old-space-size=4096 --freeze_flags_after_init', false],
])('flags may be set with %j and %j: %s', (execArgv, nodeOptions, expected) => {
  expect(canSetFlags(execArgv, nodeOptions)).toBe(expected);
});
