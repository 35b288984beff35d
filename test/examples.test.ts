import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../examples', import.meta.url));
/** All scripts but those that play a host or a model for others. */
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.mjs') && !basename(path).startsWith('scripted-'),
);

describe('examples', () => {
  it('are there for every wire and for a loop of one’s own', () => {
    const folders = ['agent', 'ai-sdk', 'anthropic', 'gemini', 'openai-chat', 'openai-responses', 'plain'];
    expect(examples).toEqual(expect.arrayContaining(folders.map((name) => `${name}/search-tools.mjs`)));
    expect(examples).toContain('anthropic/own-search.mjs');
  });

  it('are all in the list of examples', () => {
    const list = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(examples.filter((path) => !list.includes(`](${path})`))).toEqual([]);
  });

  it.each(examples)('%s runs with plain node, needs no key, and ends with the tool’s answer', async (path) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, path)], {
      env: { PATH: process.env.PATH },
    });
    expect(stdout).toMatch(/The tool says: .*(done|rain)/i);
  });
});
