import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const LAB = fileURLToPath(new URL('../lab/run.mjs', import.meta.url));

it('patterns, schemas, queries, settings, streams and requests with parts changed are answered as their oracles say', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [LAB, 'fuzz', 'short']);
  expect(stdout).toContain('fuzz: passed');
}, 240_000);
