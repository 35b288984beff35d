import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@quartermaster/host/config';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLIENTS } from '../packages/cli/src/clients/known-clients.ts';

const folder = fileURLToPath(new URL('../docs/clients/', import.meta.url));
const pages = readdirSync(folder).filter((name) => name !== 'index.md');

function read(page: string): string {
  return readFileSync(join(folder, page), 'utf8');
}

/** The snippets of a page that are a client's file, as our own reader of such files understands them. */
function entriesOf(page: string) {
  const scratch = mkdtempSync(join(tmpdir(), 'quartermaster-clients-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  return [...read(page).matchAll(/^```(json|toml|yaml)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => {
    const file = join(scratch, `client.${language}`);
    writeFileSync(file, text);
    const { mcpServers, unusableServers } = loadConfig({ env: {}, folder: scratch, flags: { mcpConfig: [file] } });
    return { mcpServers, unusableServers };
  });
}

describe.each(pages)('docs/clients/%s', (page) => {
  it('has snippets that the reader of client files understands', () => {
    for (const { mcpServers, unusableServers } of entriesOf(page)) {
      expect(unusableServers).toEqual([]);
      expect(Object.keys(mcpServers)).toEqual(['quartermaster']);
    }
  });

  it('has one way over stdio and one over HTTP', () => {
    const entries = entriesOf(page).map(({ mcpServers }) => JSON.stringify(mcpServers));
    const text = [read(page), ...entries].join('\n');
    expect(text).toMatch(/quartermaster\.js"?,? ?"?mcp/);
    expect(text).toMatch(/http:\/\/127\.0\.0\.1:8787\/mcp|custom connectors/);
  });

  it('names a client that can be installed', () => {
    const [, id] = /^quartermaster mcp install ([\w-]+)$/m.exec(read(page)) ?? [];
    expect(CLIENTS.map((client) => client.id)).toContain(id);
  });
});

it('there is a page for every client', () => {
  const named = pages.map((page) => /^quartermaster mcp install ([\w-]+)$/m.exec(read(page))?.[1]);
  expect(new Set(named)).toEqual(new Set(CLIENTS.map(({ id }) => id)));
  const index = read('index.md');
  for (const page of pages) expect(index).toContain(`(${page})`);
});
