import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const LAB = fileURLToPath(new URL('../lab/run.mjs', import.meta.url));

it('two gateways outlive a PostgreSQL that is terminated, frozen and restarted, and answer no request with 500', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [LAB, 'database', 'short']);
  expect(stdout).toContain('database: passed');
}, 240_000);
