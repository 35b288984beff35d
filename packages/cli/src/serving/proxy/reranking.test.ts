import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openStore } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InputError } from '../../input-error.ts';
import { BIN, runCommand, startCommand, temporaryFolder } from '../running-command.fixture.ts';
import { configuredEngine } from '../settings/configured-engine.ts';
import { renderRerankerEvent } from './serve-mcp.ts';

const ENGINE = { QUARTERMASTER_SEARCH_ENGINE: 'hybrid+reranker' };
const MODEL = 'tools-minilm-v5';
const REQUEST = 'when are my colleagues free on Tuesday';

/** Starts a gateway that finds these tools for the request in the sample catalog, if not at once: a search does not wait for long. */
async function findsAtLast(
  expected: readonly string[],
  { cwd, env }: { cwd: string; env: typeof ENGINE },
): Promise<void> {
  const gateway = startCommand(['serve', '--port', '0', '--store', 'store.db'], { cwd, env });
  const url = /http:\/\/\S+:\d+/.exec(await gateway.until('Ctrl+C stops it'))?.[0];
  const find = async (): Promise<readonly string[]> => {
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(QUESTION) });
    const { content } = (await response.json()) as { readonly content: readonly Block[] };
    return content.flatMap((block) => block.content?.tool_references ?? []).map(({ tool_name }) => tool_name);
  };
  await expect.poll(find, { timeout: 60_000, interval: 500 }).toEqual(expected);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toEqual({ code: 0, signal: null });
}

interface Block {
  readonly content?: { readonly tool_references?: readonly { readonly tool_name: string }[] };
}

const QUESTION = {
  ...{ model: 'rehearsal', max_tokens: 1000, messages: [{ role: 'user', content: REQUEST }] },
  tools: [
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    { type: 'quartermaster_catalog', name: 'sample', defer_loading: true },
  ],
};

/** What the command line finds, as names that models see. */
async function searchWith(engine: string): Promise<readonly string[]> {
  const { out } = await runCommand(['search', REQUEST, '--engine', engine, '--json'], {});
  const { hits } = JSON.parse(out) as { readonly hits: readonly { readonly server: string; readonly name: string }[] };
  return hits.map(({ server, name }) => `${server}__${name.replace(/[^\w-]/g, '_')}`);
}

/** Takes the vectors out of a store; gives how many they were. */
async function takeVectors(path: string): Promise<number> {
  const store = await openStore({ path });
  onTestFinished(() => store.close());
  return store.vectors.deleteModel(MODEL);
}

describe('the engine hybrid+reranker, with the real model', () => {
  it('quartermaster serve finds what quartermaster search does, and keeps the vectors', async () => {
    const cwd = temporaryFolder();
    const expected = await searchWith('hybrid+reranker');
    expect(expected).not.toEqual(await searchWith('hybrid'));
    await findsAtLast(expected, { cwd, env: ENGINE });
    expect(await takeVectors(join(cwd, 'store.db'))).toBeGreaterThanOrEqual(50);
  });

  it('quartermaster mcp searches with it, and keeps the vectors', async () => {
    const folder = temporaryFolder();
    const script = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
    const mcpServers = { files: { command: process.execPath, args: [script, folder] } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
    const client = new Client({ name: 'test-client', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', '--mcp-config', '.mcp.json', '--form', 'bridge', '--store', 'store.db'],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, ...ENGINE },
      stderr: 'ignore',
    });
    onTestFinished(() => client.close());
    await client.connect(transport);
    const found = await client.callTool({ name: 'tool_search', arguments: { query: 'what does this document say' } });
    expect(JSON.stringify(found.content)).toContain('files__read_text_file');
    await client.close();
    expect(await takeVectors(join(folder, 'store.db'))).toBeGreaterThan(5);
  });
});

describe('the engine hybrid+reranker without its runtime', () => {
  it.each([
    ['serve', ['serve', '--port', '0', '--store', ':memory:']],
    ['mcp', ['mcp', '--mcp-config', '.mcp.json', '--store', ':memory:']],
  ])('quartermaster %s does not start, and says why and what to do', async (_, args) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { files: { command: 'node' } } }));
    writeFileSync(join(cwd, 'hide.mjs'), HIDE_RUNTIMES);
    const env = { ...ENGINE, NODE_OPTIONS: `--import=${pathToFileURL(join(cwd, 'hide.mjs'))}` };
    const command = startCommand(args, { cwd, env });
    expect(await command.ended).toEqual({ code: 2, signal: null });
    expect(command.err()).toContain('The engine "hybrid+reranker" can\'t run here: No ONNX runtime');
    expect(command.err()).toContain('npm install onnxruntime-node@1.16.3');
    expect(command.err()).toContain('search.engine: hybrid');
    expect(command.out()).toBe('');
  });

  it('is not loaded for other engines', async () => {
    const missing = async () => ({ kind: 'missing', reason: 'none' }) as const;
    expect((await configuredEngine({ engine: 'hybrid' }, missing)).embedder).toBeUndefined();
    const asked = configuredEngine({ engine: 'hybrid+reranker' }, missing);
    await expect(asked).rejects.toThrow(InputError);
  });
});

/** As if neither runtime was installed. */
const HOOKS = `export async function resolve(name, context, next) {
  if (name.startsWith('onnxruntime')) throw new Error('Cannot find package ' + name);
  return next(name, context);
}`;
const HIDE_RUNTIMES = `import { register } from 'node:module';
register("data:text/javascript,${encodeURIComponent(HOOKS)}");
`;

describe('failures of the reranker', () => {
  it.each([
    [
      { kind: 'fallback', reason: 'The reranker failed: a\n\u001bb' } as const,
      1,
      'searched without the reranker: The reranker failed: a b',
    ],
    [
      { kind: 'fallback', reason: 'The reranker took longer than 2000 ms' } as const,
      3,
      'searched without the reranker (3 times): The reranker took longer than 2000 ms',
    ],
    [
      { kind: 'store-failed', cause: new Error('query failed', { cause: new Error('disk full') }) } as const,
      1,
      'tool vectors could not be read from the store or written to it: disk full',
    ],
  ])('are reported on one line', (event, times, line) => {
    expect(renderRerankerEvent(event, times)).toBe(line);
  });
});
