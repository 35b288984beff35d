import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../scripts/conformance.mjs', import.meta.url));
const TIMEOUT_MS = 240_000;

/** Runs `npm run conformance` with these options. */
async function runSuite(...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(process.execPath, [SCRIPT, ...args]);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, said };
}

describe('the official conformance suite', () => {
  it.each([['2025-11-25'], ['2026-07-28']])(
    'finds nothing that is worse behind the gateway, at %s',
    async (revision) => {
      const { code, said } = await runSuite('--revision', revision);
      expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining('Nothing is worse') });
    },
    TIMEOUT_MS,
  );

  it.each([['auth/scope-step-up'], ['http-invalid-tool-headers']])(
    'passes our client in %s',
    async (scenario) => {
      const { code, said } = await runSuite('--clients', '--scenario', scenario);
      expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining('1 of 1 scenarios pass') });
    },
    TIMEOUT_MS,
  );
});
