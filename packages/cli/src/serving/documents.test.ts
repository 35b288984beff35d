import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, describeConfig, loadConfig } from '@quartermaster/host/config';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './running-command.fixture.ts';

const DOCUMENTS = ['gateway.md', 'mcp.md'];

/** The code blocks of a document in one language. */
function blocksOf(document: string, language: string): readonly string[] {
  const text = readFileSync(new URL(`../../../../docs/guides/${document}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, name, body = '']) =>
    name === language ? [body] : [],
  );
}

function load(text: string): Config {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'quartermaster.yaml'), text);
  writeFileSync(join(folder, 'servers.json'), '{"mcpServers": {}}');
  return loadConfig({ path: join(folder, 'quartermaster.yaml'), folder, env: ENVIRONMENT });
}

/** What the examples take from the environment. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  QUARTERMASTER_KEY: 'q',
  TRACKER_TOKEN: 't',
};

describe.each(DOCUMENTS)('docs/guides/%s', (document) => {
  it('contains settings that can be used as they are', () => {
    const blocks = blocksOf(document, 'yaml');
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(load(block).files).not.toEqual([]);
  });

  it('contains valid JSON', () => {
    for (const block of blocksOf(document, 'json')) expect(JSON.parse(block)).toBeTypeOf('object');
  });
});

describe('docs/guides/gateway.md', () => {
  it('shows every setting with its default', () => {
    const all = blocksOf('gateway.md', 'yaml').find((block) => block.startsWith('listen:')) ?? '';
    const show = (text: string): object => ({ ...describeConfig(load(text)), files: [], store: {} });
    expect(show(all)).toEqual(show(''));
  });
});
