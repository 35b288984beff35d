import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../examples', import.meta.url));
const examples = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'search-tools.mjs')));

describe('examples', () => {
  it('are there for every wire and for a loop of one’s own', () => {
    expect(examples).toEqual(['agent', 'ai-sdk', 'anthropic', 'gemini', 'openai-chat', 'openai-responses', 'plain']);
  });

  it.each(examples)('%s runs with plain node, needs no key, and ends with the tool’s answer', async (name) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name, 'search-tools.mjs')], {
      env: { PATH: process.env.PATH },
    });
    expect(stdout).toMatch(/The tool says: .*(done|rain)/i);
  });
});
