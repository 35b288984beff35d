import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnapshot, createTool, type SearchText, type Snapshot, type Tool } from '../../catalog/index.ts';
import { sha256 } from '../../catalog/internal.ts';
import { runToEnd } from '../../slices.ts';
import { buildBm25IndexInSteps } from '../bm25/index/build-bm25-index.ts';
import { type Bm25Index, buildBm25Index, createBm25Searcher, keptWords } from '../bm25/index.ts';
import { createHybridSearcher } from '../hybrid/hybrid-searcher.ts';
import { toyEmbedder } from '../hybrid/toy-embedder.fixture.ts';
import { buildVectorIndex, keptVectors } from '../semantic/vector-index.ts';
import { readIndexFile, writeIndexFile } from './index-file.ts';
import { type IndexCache, markToolsInSteps } from './keep-index.ts';

const WORDS = ['create', 'list', 'delete', 'invoice', 'user', 'report', 'send', 'mail', 'größe', '請求書', 'v2', 'the'];
const words = (most: number) => fc.array(fc.constantFrom(...WORDS), { maxLength: most });
const toolList = (least: number, most: number) =>
  fc
    .array(
      fc.record({
        name: words(3),
        separator: fc.constantFrom('_', '__'),
        server: fc.constantFrom('a', 'b', undefined),
        description: words(12),
      }),
      {
        minLength: least,
        maxLength: most,
      },
    )
    .map((list) =>
      list.map(({ name, separator, server, description }, at) =>
        createTool({ name: [`t${at}`, ...name].join(separator), server, description: description.join(' ') }),
      ),
    );

const many = (count: number): Tool[] =>
  Array.from({ length: count }, (_, at) =>
    createTool({
      name: `${WORDS[at % 7]}_${WORDS[(at * 5) % 9]}_${at}`,
      server: `server${at % 9}`,
      description: WORDS.filter((_word, place) => (at >> (place % 6)) & 1).join(' '),
    }),
  );

/** In memory, as bytes that no one else has. */
function memoryCache(): IndexCache & { readonly files: Map<string, Uint8Array>; loads: number } {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    loads: 0,
    async load(key) {
      this.loads += 1;
      const bytes = files.get(key);
      return bytes === undefined ? undefined : new Uint8Array(bytes);
    },
    async save(key, bytes) {
      files.set(key, bytes);
    },
  };
}

const KEY = 'words.test';

describe('an index that was written', () => {
  it('is read back as it was built, whatever the tools', () => {
    fc.assert(
      fc.property(toolList(0, 90), (tools) => {
        const built = buildBm25Index(tools);
        const part = keptWords(tools);
        expect(runToEnd(part.read(runToEnd(part.write(KEY, built)), KEY))?.data).toEqual(built.data);
      }),
      { numRuns: 60 },
    );
  });

  it('is not used once any byte of it has changed, or when a part of it is missing', () => {
    const tools = many(40);
    const part = keptWords(tools);
    const bytes = runToEnd(part.write(KEY, buildBm25Index(tools)));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = new Uint8Array(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(runToEnd(part.read(changed, KEY))).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        expect(runToEnd(part.read(bytes.slice(0, length), KEY))).toBeUndefined();
      }),
    );
    expect(runToEnd(part.read(new Uint8Array([...bytes, ...new Uint8Array(8)]), KEY))).toBeUndefined();
    expect(runToEnd(part.read(bytes, 'words.other'))).toBeUndefined();
    expect(runToEnd(keptWords(tools.slice(1)).read(bytes, KEY))).toBeUndefined();
    const renamed = [createTool({ name: 'other' }), ...tools.slice(1)];
    expect(runToEnd(keptWords(renamed).read(bytes, KEY))).toBeUndefined();
  });

  it('with changed numbers and a valid checksum is refused or searched without an error', async () => {
    const tools = many(300);
    const snapshot = createSnapshot(tools);
    const part = keptWords(tools);
    const sections = runToEnd(readIndexFile(runToEnd(part.write(KEY, buildBm25Index(tools))), KEY)) ?? [];
    let searched = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sections.length - 1),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (number, changes) => {
          const changed = sections.map((section) => new Uint8Array(section));
          const target = changed[number] ?? new Uint8Array(0);
          for (const [at, value] of changes) if (target.length > 0) target[at % target.length] = value;
          const index = runToEnd(part.read(runToEnd(writeIndexFile(KEY, changed)), KEY));
          if (index === undefined) return;
          searched += 1;
          const searcher = createBm25Searcher(snapshot, { index });
          for (const query of ['create invoice', 'userz', 'select:create_create_0', '+send server:server3', '請求書']) {
            expect((await searcher.search({ query, explain: true })).hits.length).toBeLessThanOrEqual(5);
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(searched).toBeGreaterThan(0);
  });
});

describe('vectors that were written', () => {
  it('are read back as they were made, and not once a byte has changed', () => {
    const tools = many(30);
    const embedder = toyEmbedder;
    const { marks } = runToEnd(markToolsInSteps(tools));
    const made = buildVectorIndex(tools.length, embedder.dimensions, (id) => {
      const vector = new Float32Array(embedder.dimensions);
      vector[id % embedder.dimensions] = 0.6;
      vector[(id * 7 + 1) % embedder.dimensions] = -0.8;
      return vector;
    });
    const vectors = { ...made, marks };
    const part = keptVectors(tools.length, embedder);
    const bytes = runToEnd(part.write(KEY, vectors));
    const read = runToEnd(part.read(bytes, KEY));
    expect(read?.components).toEqual(vectors.components);
    expect(read?.scales).toEqual(vectors.scales);
    expect(read?.signs).toEqual(vectors.signs);
    expect(read?.sum).toEqual(vectors.sum);
    expect(read?.marks).toEqual(marks);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = new Uint8Array(bytes);
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(runToEnd(part.read(changed, KEY))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
    const scales = vectors.scales.map(() => Number.NaN);
    const endless = writeIndexFile(KEY, [vectors.components, scales, vectors.signs, marks]);
    expect(runToEnd(part.read(runToEnd(endless), KEY))).toBeUndefined();
  });
});

describe('a searcher with a cache', () => {
  const queries = ['create an invoice', 'send mail to user', '請求書', 'lst report'];

  it('gives the same answers from what was kept as from what it builds', async () => {
    const tools = many(400);
    const cache = memoryCache();
    const answer = async (options: object) => {
      const searcher = createHybridSearcher(createSnapshot(tools), { embedder: toyEmbedder, ...options });
      await searcher.prepare?.();
      return Promise.all(queries.map((query) => searcher.search({ query, explain: true })));
    };
    const expected = await answer({});
    expect(await answer({ cache })).toEqual(expected);
    await expect.poll(() => cache.files.size).toBe(2);
    const other = memoryCache();
    for (const [key, bytes] of cache.files) other.files.set(key, bytes);
    expect(await answer({ cache: other })).toEqual(expected);
  });

  it('builds what is damaged again, and keeps it in its place', async () => {
    const tools = many(220);
    const first = memoryCache();
    await createBm25Searcher(createSnapshot(tools), { cache: first }).prepare?.();
    await expect.poll(() => first.files.size).toBe(1);
    const [[key, bytes] = ['', new Uint8Array(0)]] = first.files;
    const damaged = bytes.map((byte, at) => (at === bytes.length - 9 ? byte ^ 1 : byte));
    const second = memoryCache();
    second.files.set(key, damaged);
    const { hits } = await createBm25Searcher(createSnapshot(tools), { cache: second }).search({ query: 'invoice' });
    expect(hits).not.toHaveLength(0);
    await expect.poll(() => second.files.get(key) !== damaged).toBe(true);
    expect(runToEnd(keptWords(tools).read(second.files.get(key) ?? damaged, key))).toBeDefined();
  });

  it('shares an index with another searcher of the same tools, without asking the cache', async () => {
    const cache = memoryCache();
    const searchers = [1, 2].map(() => createBm25Searcher(createSnapshot(many(250)), { cache }));
    for (const searcher of searchers) {
      await searcher.prepare?.();
      await expect.poll(() => cache.files.size).toBe(1);
    }
    expect(cache.loads).toBe(1);
  });

  it('goes by the key that its snapshot was given, and refuses the index of other tools under it', async () => {
    const cache = memoryCache();
    const [one, two] = [many(230), many(231).slice(1)].map((tools) => createSnapshot(tools, { contentKey: 'file' }));
    await createBm25Searcher(one as Snapshot, { cache }).prepare?.();
    await expect.poll(() => [...cache.files.keys()]).toEqual([expect.stringMatching(/\.given file$/)]);
    const fresh = memoryCache();
    for (const [key, bytes] of cache.files) fresh.files.set(key, bytes);
    const query = { query: 'create invoice', explain: true };
    const expected = await createBm25Searcher(createSnapshot(many(231).slice(1))).search(query);
    expect(await createBm25Searcher(two as Snapshot, { cache: fresh }).search(query)).toEqual(expected);
  });

  it('does not fail with its cache, and asks none about a few tools', async () => {
    const failing: IndexCache = {
      load: () => Promise.reject(new Error('away')),
      save: () => Promise.reject(new Error('full')),
    };
    const snapshot = createSnapshot(many(210).map((tool) => ({ ...tool, description: 'create failing' })));
    const searcher = createBm25Searcher(snapshot, { cache: failing });
    expect((await searcher.search({ query: 'failing' })).hits).not.toHaveLength(0);
    const cache = memoryCache();
    await createBm25Searcher(createSnapshot(many(20)), { cache }).prepare?.();
    expect([cache.loads, cache.files.size]).toEqual([0, 0]);
  });
});

describe('a catalog that has changed', () => {
  const edit = fc.oneof(
    fc.record({ kind: fc.constant('describe' as const), at: fc.nat(), words: words(6) }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('add' as const), at: fc.nat(), words: words(6) }),
    fc.record({ kind: fc.constant('move' as const), at: fc.nat() }),
  );

  function apply(
    tools: readonly Tool[],
    edits: readonly (typeof edit extends fc.Arbitrary<infer Edit> ? Edit : never)[],
  ) {
    const changed = [...tools];
    edits.forEach((one, number) => {
      const at = one.at % changed.length;
      const [tool] = changed.splice(at, one.kind === 'add' ? 0 : 1);
      if (one.kind === 'describe')
        changed.splice(at, 0, { ...(tool as Tool), description: `${one.words.join(' ')} new` });
      else if (one.kind === 'move') changed.unshift(tool as Tool);
      else if (one.kind === 'add')
        changed.splice(at, 0, createTool({ name: `new_${number}`, description: one.words.join(' ') }));
    });
    return changed;
  }

  const indexOf = (tools: readonly Tool[], others: readonly Bm25Index[] = [], read = tools): Bm25Index =>
    runToEnd(buildBm25IndexInSteps(read, { reuse: { marks: runToEnd(markToolsInSteps(tools)).marks, others } }));

  it('has the same index as a fresh build, whatever has changed', () => {
    const contents = ({ data, tokens }: Bm25Index) => {
      // The seed differs for every table, and the slots follow from it.
      const { bytes, starts } = data.terms;
      return { ...data, terms: { bytes, starts }, tokens };
    };
    fc.assert(
      fc.property(toolList(9, 30), fc.array(edit, { minLength: 1, maxLength: 8 }), (tools, edits) => {
        const changed = apply(tools, edits);
        const index = contents(indexOf(changed, [indexOf(tools.slice(1, 4)), indexOf(tools)]));
        expect(index).toEqual(contents(indexOf(changed)));
        expect(index).toEqual({ ...contents(buildBm25Index(changed)), tokens: index.tokens });
      }),
      { numRuns: 25 },
    );
  });

  it('is indexed by reading only what is new', () => {
    const tools = many(260);
    const isNew = (at: number) => at % 50 === 7;
    const changed = tools.map((tool, at) => (isNew(at) ? { ...tool, description: `${tool.description} new` } : tool));
    const read = new Set<string>();
    const watched = changed.map((tool) =>
      Object.defineProperty({ ...tool }, 'description', {
        get: () => {
          read.add(tool.id);
          return tool.description;
        },
      }),
    );
    indexOf(changed, [indexOf(tools)], watched);
    expect([...read]).toEqual(changed.filter((_, at) => isNew(at)).map(({ id }) => id));
  });

  it('reuses the vectors of all other tools, and answers like a fresh index', async () => {
    const tools = many(260);
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 8 }), async (edits) => {
        const changed = apply(tools, edits);
        let embedded = 0;
        const embedder = {
          ...toyEmbedder,
          tool(text: SearchText) {
            embedded += 1;
            return toyEmbedder.tool(text);
          },
        };
        const cache = memoryCache();
        const before = createHybridSearcher(createSnapshot(tools), { embedder, cache });
        await before.prepare?.();
        await expect.poll(() => cache.files.size).toBe(2);
        embedded = 0;
        const after = createHybridSearcher(createSnapshot(changed), { embedder, cache });
        const fresh = createHybridSearcher(createSnapshot(changed), { embedder: toyEmbedder });
        for (const query of ['create an invoice', 'new report', 'send user mail', '請求書']) {
          const request = { query, limit: 20, explain: true };
          expect(await after.search(request)).toEqual(await fresh.search(request));
        }
        expect(embedded).toBeLessThanOrEqual(edits.length);
        // Held until here, as by the list that it belongs to.
        expect(before.byteLength?.()).toBeGreaterThan(0);
      }),
      { numRuns: 15 },
    );
  });
});

describe('the key of a catalog', () => {
  const keyOf = (tools: readonly Tool[]): string => runToEnd(markToolsInSteps(tools)).key;

  it('is another one for any other texts, or another order', () => {
    fc.assert(
      fc.property(toolList(1, 8), toolList(1, 8), (one, two) => {
        const same = JSON.stringify(one.map(textOf)) === JSON.stringify(two.map(textOf));
        expect(keyOf(one) === keyOf(two)).toBe(same);
      }),
    );
    const [first, second] = [
      createTool({ name: 'ab', description: 'c' }),
      createTool({ name: 'a', description: 'bc' }),
    ];
    expect(new Set([[first], [second], [first, second], [second, first]].map(keyOf)).size).toBe(4);
  });

  it('takes one hash of each tool, however many catalogs it is in', () => {
    const hashed: string[] = [];
    const digest = (text: string): string => {
      hashed.push(text);
      return sha256([text]);
    };
    const markWith = (tools: readonly Tool[]) => runToEnd(markToolsInSteps(tools, digest));
    const tools = many(90);
    const before = markWith(tools);
    const counted = hashed.length;
    const changed = [...tools.slice(0, 50), createTool({ name: 'new_tool' }), ...tools.slice(50)];
    const after = markWith(changed);
    // The new tool, and what is made of all hashes, of every 32 of them.
    expect(hashed.length - counted).toBe(1 + 1 + Math.ceil(changed.length / 32));
    expect([...after.marks.slice(0, 100), ...after.marks.slice(102)]).toEqual([...before.marks]);
    expect(after).toEqual(runToEnd(markToolsInSteps(changed.map((tool) => ({ ...tool })))));
  });

  it('does not depend on what no search reads', () => {
    const tool = createTool({ name: 'a', description: 'b' });
    expect(keyOf([{ ...tool, policy: 'always', extras: { strict: true } }])).toBe(keyOf([tool]));
    expect(keyOf([{ ...tool, extras: { title: 'T' } }])).not.toBe(keyOf([tool]));
  });
});

function textOf({ name, server, description }: Tool): readonly unknown[] {
  return [name, server ?? '', description];
}
