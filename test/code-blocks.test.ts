import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@quartermaster/host/config';
import { transformWithOxc } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks } from './document-blocks.fixture.ts';

const blocks = codeBlocks();

function inLanguage(...languages: string[]) {
  return blocks.filter(({ language }) => languages.includes(language));
}

describe.each(inLanguage('ts', 'js', 'mjs'))('TypeScript at $place', ({ text }) => {
  it('can be parsed', async () => {
    // Some blocks are the body of a function: they await, and name what is around them.
    await transformWithOxc(text, 'block.ts');
  });

  it('imports names that the packages export', async () => {
    const missing: string[] = [];
    for (const { module, names } of importsIn(text)) {
      const exported = await exportsOf(module);
      missing.push(...names.filter((name) => !exported.has(name)).map((name) => `${name} from ${module}`));
    }
    expect(missing).toEqual([]);
  });
});

describe.each(inLanguage('json'))('JSON at $place', ({ text }) => {
  it('is JSON', () => {
    expect(JSON.parse(text)).toBeTypeOf('object');
  });
});

describe.each(inLanguage('yaml'))('YAML at $place', ({ text }) => {
  it('is a file that can be used', () => {
    const document = parse(text) as Record<string, unknown>;
    // Steps of a workflow, and another program's list of servers.
    if ('steps' in document || Array.isArray(document.mcpServers)) return;
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

it('there are blocks of each kind', () => {
  expect(inLanguage('ts').length).toBeGreaterThan(30);
  expect(inLanguage('json').length).toBeGreaterThan(20);
  expect(inLanguage('yaml').length).toBeGreaterThan(8);
});

it('every block is in a language that is checked', () => {
  const checked = ['', 'sh', 'ts', 'js', 'mjs', 'json', 'yaml', 'toml', 'text'];
  expect(blocks.filter(({ language }) => !checked.includes(language)).map(({ place }) => place)).toEqual([]);
});

function importsIn(text: string): readonly { readonly module: string; readonly names: readonly string[] }[] {
  return [...text.matchAll(/import (type )?\{([^}]+)\} from '(@quartermaster\/[\w/-]+)'/g)]
    .filter(([, type]) => type === undefined)
    .map(([, , list = '', module = '']) => ({
      module,
      names: list
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '' && !one.startsWith('type '))
        .map((one) => one.split(' as ')[0] ?? one),
    }));
}

const modules = new Map<string, Promise<ReadonlySet<string>>>();

function exportsOf(module: string): Promise<ReadonlySet<string>> {
  const known = modules.get(module) ?? readExports(module);
  modules.set(module, known);
  return known;
}

async function readExports(module: string): Promise<ReadonlySet<string>> {
  return new Set(Object.keys((await import(/* @vite-ignore */ module)) as object));
}
