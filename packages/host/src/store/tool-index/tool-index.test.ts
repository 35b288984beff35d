import { parseTools, type Tool } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashedEmbedder as embedder } from '../../search/postgres/hashed-embedder.fixture.ts';
import { startPostgres, type TestPostgres } from '../embedded-postgres.fixture.ts';
import { openStore, type Store } from '../index.ts';
import { readStoredTool, writeStoredTool } from './stored-tool.ts';
import type { ToolIndex } from './tool-index.ts';

let server: TestPostgres;
let store: Store;
let index: ToolIndex;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
  ({ url } = await server.createPlace());
  store = await openStore({ url });
  index = await store.openToolIndex({ embedder });
}, 120_000);

afterAll(async () => {
  await store.close();
  await server.stop();
});

function tool(name: string, description = `Does ${name.replaceAll('_', ' ')}`, server = 'acme'): Tool {
  return createTool({ server, name, description });
}

/** Everything that is counted of a catalog, and what its tools are found by. */
async function stateOf(catalog: string): Promise<object> {
  const of = `catalog = (SELECT number FROM tool_catalogs WHERE name = '${catalog}')`;
  const [figures] = await server.query(
    url,
    `SELECT tool_count, field_lengths FROM tool_catalogs WHERE name = '${catalog}'`,
  );
  return {
    figures,
    terms: await server.query(url, `SELECT term, tools FROM tool_terms WHERE ${of} AND tools <> 0 ORDER BY term`),
    tools: await server.query(
      url,
      `SELECT key, hash, cluster, code::text AS code, regexp_replace(words::text, '''[0-9a-z]+[.]', '''', 'g') AS words
       FROM catalog_tools t JOIN tool_words w USING (catalog, tool) JOIN tool_vectors v USING (catalog, tool)
       WHERE t.${of} ORDER BY key`,
    ),
    names: await server.query(
      url,
      `SELECT n.key, t.key AS tool FROM tool_names n JOIN catalog_tools t USING (catalog, tool) WHERE n.${of} ORDER BY 1, 2`,
    ),
  };
}

describe('a catalog in the index', () => {
  it('is written once: the same tools again change nothing, others only what changed', async () => {
    const tools = ['send_mail', 'read_mail', 'list_files'].map((name) => tool(name));
    expect(await index.sync('once', tools)).toEqual({ written: 3, removed: 0, unchanged: 0 });
    const before = await index.figures('once');
    expect(await index.sync('once', tools)).toEqual({ written: 0, removed: 0, unchanged: 3 });
    expect((await index.figures('once'))?.revision).toBe(before?.revision);
    const changed = [tool('send_mail', 'Sends a letter'), tool('read_mail'), tool('rename_file')];
    expect(await index.sync('once', changed)).toEqual({ written: 2, removed: 1, unchanged: 1 });
    expect(
      await index.update('once', { put: [tool('read_mail')], remove: ['acme/rename_file', 'acme/nothing'] }),
    ).toEqual({
      ...{ written: 0, removed: 1, unchanged: 1 },
    });
  });

  it('has its hash only when everything is written', async () => {
    await index.sync('hashed', [tool('one')], { hash: 'abc' });
    expect((await index.figures('hashed'))?.hash).toBe('abc');
    async function* broken(): AsyncGenerator<Tool> {
      yield tool('one', 'Another text');
      throw new Error('the upload broke off');
    }
    await expect(index.sync('hashed', broken(), { hash: 'def' })).rejects.toThrow('broke off');
    await index.update('hashed', { put: [tool('two')] });
    expect((await index.figures('hashed'))?.hash).toBe('');
  });

  it('is the same after any changes as one that is written at once', async () => {
    const some = fc.constantFrom(...['send_mail', 'read_mail', 'listFiles', 'open_file', 'close']);
    const text = fc.constantFrom('Sends letters', 'Reads the letter of a file', '');
    const change = fc.record({
      put: fc.array(fc.tuple(some, text), { maxLength: 4 }),
      remove: fc.array(some, { maxLength: 2 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        run += 1;
        const now = new Map<string, Tool>();
        for (const { put, remove } of changes) {
          const tools = new Map(put.map(([name, description]) => [`acme/${name}`, tool(name, description)]));
          const ids = remove.map((name) => `acme/${name}`);
          await index.update(`changed ${run}`, { put: [...tools.values()], remove: ids });
          for (const id of ids) now.delete(id);
          for (const [id, one] of tools) now.set(id, one);
        }
        await index.sync(`fresh ${run}`, now.values());
        const [changed, fresh] = [await stateOf(`changed ${run}`), await stateOf(`fresh ${run}`)];
        if (now.size > 0) expect(changed).toEqual(fresh);
      }),
      { numRuns: 12 },
    );
  });

  it('is not damaged by two concurrent writers', async () => {
    const left = Array.from({ length: 30 }, (_, at) => tool(`left_${at}`));
    const right = Array.from({ length: 30 }, (_, at) => tool(`right_${at}`));
    await Promise.all([index.update('both', { put: left }), index.update('both', { put: right })]);
    await index.sync('both at once', [...left, ...right]);
    expect(await stateOf('both')).toEqual(await stateOf('both at once'));
  });

  it('has no hash if another upload has written between two of its transactions', async () => {
    async function* interrupted(): AsyncGenerator<Tool> {
      for (let at = 0; at < 8_192; at += 1) yield tool(`same_${at % 4}_${at}`, 'x');
      await index.update('mixed', { put: [tool('between')] });
      yield tool('last');
    }
    await index.sync('mixed', interrupted(), { hash: 'abc' });
    expect((await index.figures('mixed'))?.hash).toBe('');
  });

  it('is indexed again if the embedder has changed', async () => {
    await index.sync('model', [tool('one'), tool('two')]);
    const other = await store.openToolIndex({ embedder: { ...embedder, modelId: 'another' } });
    expect(await other.figures('model')).toBeUndefined();
    expect(await other.sync('model', [tool('one')])).toEqual({ written: 1, removed: 0, unchanged: 0 });
    expect((await other.figures('model'))?.toolCount).toBe(1);
    expect(await index.figures('model')).toBeUndefined();
  });

  it('leaves nothing behind when it is removed', async () => {
    await index.sync('gone', [tool('one')]);
    expect(await index.remove('gone')).toBe(true);
    expect(await index.remove('gone')).toBe(false);
    for (const table of ['catalog_tools', 'tool_words', 'tool_names', 'tool_vectors', 'tool_terms']) {
      const rows = await server.query(
        url,
        `SELECT 1 FROM ${table} WHERE catalog NOT IN (SELECT number FROM tool_catalogs)`,
      );
      expect(rows).toEqual([]);
    }
  });

  it('accepts tools of any size and script', async () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `word${at.toString(36)}`).join(' ');
    const odd = [
      tool('huge', words),
      tool("o'brien\\'s", 'It\'s a \\ "quote" ? and a \u0000'),
      tool('\ud800', '送信 メール'),
      tool('++'),
    ];
    expect((await index.sync('odd', odd)).written).toBe(4);
    const figures = await index.figures('odd');
    if (figures === undefined) throw new Error('it is indexed');
    const all = await index.fetch(figures, [0, 1, 2, 3]);
    expect(all.map((one) => one.tool)).toEqual(odd);
  });
});

it('an index in SQLite is refused, with what to set instead', async () => {
  const sqlite = await openStore({ path: ':memory:' });
  await expect(sqlite.openToolIndex({ embedder })).rejects.toThrow('store.url');
  await sqlite.close();
});

describe('a stored tool', () => {
  const schema = { type: 'object', properties: { to: { type: 'string' } } };
  const description = 'Sends a mail to somebody, now or later, as you like';

  it.each([
    ['mcp', { name: 'send', description, inputSchema: schema, annotations: { readOnlyHint: true } }],
    ['openai-chat', { type: 'function', function: { name: 'send', description, parameters: schema, strict: true } }],
    ['anthropic', { name: 'send', input_schema: schema, description, cache_control: { type: 'ephemeral' } }],
  ])('is restored unchanged from %s, and has its schema once', (_, definition) => {
    const [given] = parseTools([definition]).tools;
    if (given === undefined) throw new Error('it can be read');
    const text = writeStoredTool(given);
    expect(readStoredTool(text)).toEqual(given);
    expect(JSON.stringify(readStoredTool(text).extras.verbatim)).toBe(JSON.stringify(given.extras.verbatim));
    expect(text.split('"properties"')).toHaveLength(2);
  });
});
