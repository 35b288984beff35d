import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@quartermaster/host/config';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks } from './document-blocks.fixture.ts';

const blocks = codeBlocks();

function inLanguage(...languages: string[]) {
  return blocks.filter(({ language }) => languages.includes(language));
}

describe.each(inLanguage('json'))('JSON at $place', ({ text }) => {
  it('is JSON', () => {
    expect(JSON.parse(text)).toBeTypeOf('object');
  });
});

describe.each(inLanguage('yaml'))('YAML at $place', ({ text }) => {
  it('is a file that can be used', () => {
    const document = parse(text) as Record<string, unknown>;
    // Steps of a workflow that use our action, and another program's list of servers.
    if (Array.isArray(document.steps)) return checkSteps(document.steps);
    if (Array.isArray(document.mcpServers)) return;
    const folder = mkdtempSync(join(tmpdir(), 'quartermaster-blocks-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'quartermaster.yaml'), text);
    writeFileSync(join(folder, 'servers.json'), '{"mcpServers": {}}');
    writeFileSync(join(folder, 'quartermaster.hints.json'), '{"version": 1, "tools": {}}');
    const values = text.replace(/#.*$/gm, '');
    const env = Object.fromEntries([...values.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'value']));
    expect(loadConfig({ path: join(folder, 'quartermaster.yaml'), folder, env }).files).toHaveLength(
      text.includes('mcpConfig: [servers.json]') ? 2 : 1,
    );
  });
});

function checkSteps(steps: readonly { readonly uses: string; readonly with?: Readonly<Record<string, unknown>> }[]) {
  const ours = steps.find(({ uses }) => uses.endsWith('/.github/actions/lint'));
  const action = readFileSync(new URL('../.github/actions/lint/action.yml', import.meta.url), 'utf8');
  const { inputs } = parse(action) as { readonly inputs: Readonly<Record<string, unknown>> };
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(ours?.with ?? { none: '' })));
}

it('there are blocks of each kind', () => {
  expect(inLanguage('ts').length).toBeGreaterThan(30);
  expect(inLanguage('json').length).toBeGreaterThan(20);
  expect(inLanguage('yaml').length).toBeGreaterThan(8);
});

it('every block is in a language that is checked', () => {
  const checked = ['', 'sh', 'ts', 'json', 'yaml', 'toml', 'text'];
  expect(blocks.filter(({ language }) => !checked.includes(language)).map(({ place }) => place)).toEqual([]);
});
