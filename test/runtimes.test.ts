import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('the packed packages run in bundles for a browser, for workerd and for Node, and are as small as they should be', () => {
  const script = fileURLToPath(new URL('../scripts/check-runtimes.mjs', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [script, '--short'], { encoding: 'utf8' });
  const rows = stdout.trim().split('\n');
  expect(
    rows.map((row) => row.split(':')[0]),
    `${stdout}\n${stderr}`,
  ).toEqual(['ok      browser', 'ok      workerd-conditions', 'ok      cjs', 'ok      esm', 'ok      size']);
}, 120_000);
