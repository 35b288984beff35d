import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('every public name has a doc comment, none is internal, and the pages of the reference link to each other', () => {
  const script = fileURLToPath(new URL('../scripts/make-reference.mjs', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect(stdout + stderr).toBe('');
  expect(status).toBe(0);
});
