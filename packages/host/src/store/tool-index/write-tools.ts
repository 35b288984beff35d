import { setImmediate } from 'node:timers/promises';
import type { Tool } from '@quartermaster/core';
import { searchText } from '@quartermaster/core/catalog';
import { readToolTerms, type ToolTerms } from '@quartermaster/core/internal';
import { buildVectorIndex } from '@quartermaster/core/search';
import { encodeName, numberOf, textOf } from '../internal/columns.ts';
import { chunks, type Statements } from '../internal/sql.ts';
import { asBytes, type CatalogRow, readCatalog, writeCatalog } from './catalog-figures.ts';
import { openClusters } from './clusters.ts';
import { formatOf, type IndexContext, numberArray } from './index-context.ts';
import { clusterCatalog } from './recluster.ts';
import { writeStoredTool } from './stored-tool.ts';
import { addCounts, countedTerms } from './term-counts.ts';
import { storedKey, writeMarks } from './tool-marks.ts';
import { digest, fetchTools, readHashes, toolKey, writeVector } from './tool-rows.ts';

/** How tools are written to the index. */
export interface SyncOptions {
  /** A hash of the tools once they are indexed, to recognize them by. @default '' */
  readonly hash?: string;
  readonly signal?: AbortSignal;
  /** Called after each transaction: how many tools have been read so far. */
  readonly onProgress?: (done: number) => void;
}

/** How many tools were indexed, removed, and left as they were. */
export interface SyncOutcome {
  readonly written: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** The changes to a catalog. */
export interface ToolChanges {
  /** Added, or replacing those with the same id. */
  readonly put?: readonly Tool[];
  /** Ids of tools to remove; unknown ones are ignored. */
  readonly remove?: readonly string[];
}

/** Written in transactions of a few thousand tools: a crash leaves a part done, and the same call continues from there. */
export async function syncTools(
  context: IndexContext,
  name: string,
  options: SyncOptions & { readonly tools: Iterable<Tool> | AsyncIterable<Tool> },
): Promise<SyncOutcome> {
  const { tools, hash = '', signal, onProgress } = options;
  const seen = new Set<string>();
  const turn = writingTurn(context, name, signal);
  const write = async (batch: Batch): Promise<void> => {
    await turn.write(batch);
    onProgress?.(seen.size);
  };
  let some = new Map<string, Tool>();
  for await (const tool of tools) {
    const key = toolKey(tool.id);
    seen.add(key.slice(0, SEEN_DIGITS));
    some.set(key, tool);
    if (some.size < TOOLS_PER_TRANSACTION) continue;
    await write({ put: some, remove: [] });
    some = new Map();
  }
  await write({ put: some, remove: [] });
  for await (const remove of findUnseen(context, name, seen)) await write({ put: NOTHING, remove });
  return turn.finish(hash);
}

export async function updateTools(
  context: IndexContext,
  name: string,
  { changes, hash = '', signal }: SyncOptions & { readonly changes: ToolChanges },
): Promise<SyncOutcome> {
  const put = (changes.put ?? []).map((tool) => [toolKey(tool.id), tool] as const);
  const turn = writingTurn(context, name, signal);
  for (let start = 0; start === 0 || start < put.length; start += TOOLS_PER_TRANSACTION) {
    const remove = start === 0 ? (changes.remove ?? []).map(toolKey) : [];
    await turn.write({ put: new Map(put.slice(start, start + TOOLS_PER_TRANSACTION)), remove });
  }
  return turn.finish(hash);
}

export function removeCatalog({ sql }: IndexContext, name: string): Promise<boolean> {
  return sql.transaction(
    async (statements) => {
      const [row] = await statements.all('SELECT number FROM tool_catalogs WHERE name = ? FOR UPDATE', [
        encodeName(name, 'name of a catalog'),
      ]);
      if (row === undefined) return false;
      await deleteRows(statements, numberOf(row, 'number'));
      return true;
    },
    { isUnhurried: true },
  );
}

/** A 64-bit part of each key: enough to be unique among a catalog's tools. */
const SEEN_DIGITS = 16;
const TOOLS_PER_TRANSACTION = 8_192;
const TOOLS_PER_STATEMENT = 256;
/** How many tools are read before other work gets a turn. */
const TOOLS_PER_TURN = 16;
const NOTHING: ReadonlyMap<string, Tool> = new Map();

interface Batch {
  readonly put: ReadonlyMap<string, Tool>;
  /** Keys. */
  readonly remove: readonly string[];
}

/** Keys of indexed tools that were not seen, in pieces. */
async function* findUnseen(
  context: IndexContext,
  name: string,
  seen: ReadonlySet<string>,
): AsyncGenerator<readonly string[]> {
  const catalog = await readCatalog(context.sql, context, { name });
  if (catalog === undefined || catalog.toolCount === seen.size) return;
  for (let last = -1; ; ) {
    const rows = await context.sql.all(
      `SELECT tool, key FROM catalog_tools WHERE catalog = ? AND tool > ? ORDER BY tool LIMIT ${TOOLS_PER_TRANSACTION}`,
      [catalog.number, last],
    );
    const unseen = rows.map((row) => textOf(row, 'key')).filter((key) => !seen.has(key.slice(0, SEEN_DIGITS)));
    if (unseen.length > 0) yield unseen;
    const lastRow = rows.at(-1);
    if (lastRow === undefined) return;
    last = numberOf(lastRow, 'tool');
  }
}

/** Everything that one call writes, in several transactions. The catalog's revision shows what others write in between. */
function writingTurn(context: IndexContext, name: string, signal: AbortSignal | undefined) {
  const { sql } = context;
  const total = { written: 0, removed: 0, unchanged: 0 };
  /** As this call left it; undefined before the first transaction. */
  let revision: number | undefined;
  let isAlone = true;
  return {
    async write(batch: Batch): Promise<void> {
      signal?.throwIfAborted();
      const { outcome, before, after } = await writeBatch(context, name, batch);
      if (revision !== undefined && revision !== before) isAlone = false;
      revision = after;
      total.written += outcome.written;
      total.removed += outcome.removed;
      total.unchanged += outcome.unchanged;
    },
    /** Gives the catalog its hash, unless another writer has mixed its tools with these, and clusters it if it has grown. */
    async finish(hash: string): Promise<SyncOutcome> {
      await sql.run('UPDATE tool_catalogs SET hash = ? WHERE name = ? AND format = ? AND revision = ?', [
        ...[isAlone ? hash : '', encodeName(name, 'name of a catalog'), formatOf(context), revision ?? 0],
      ]);
      await clusterCatalog(context, name);
      // Recently written words are in a pending list that each search would scan.
      const clean = "SELECT gin_clean_pending_list('tool_words_by_word'::regclass)";
      await sql.transaction((statements) => statements.all(clean), { isUnhurried: true });
      return total;
    },
  };
}

interface WrittenBatch {
  readonly outcome: SyncOutcome;
  /** The catalog's revisions. */
  readonly before: number;
  readonly after: number;
}

function writeBatch(context: IndexContext, name: string, batch: Batch): Promise<WrittenBatch> {
  return context.sql.transaction(
    async (statements) => {
      const catalog = await openCatalog(context, statements, name);
      const writer = batchWriter(context, statements, catalog);
      await writer.remove(batch.remove);
      await writer.put([...batch.put]);
      const outcome = await writer.close();
      const hasChanged = outcome.written + outcome.removed > 0;
      return { outcome, before: catalog.revision, after: catalog.revision + (hasChanged ? 1 : 0) };
    },
    { isUnhurried: true },
  );
}

/** The catalog's row, locked; created if there is none, and recreated if its rows have another format. */
async function openCatalog(context: IndexContext, statements: Statements, name: string): Promise<CatalogRow> {
  const known = await readCatalog(statements, context, { name, isLocked: true });
  if (known !== undefined) return known;
  const key = encodeName(name, 'name of a catalog');
  const [other] = await statements.all('SELECT number, format FROM tool_catalogs WHERE name = ? FOR UPDATE', [key]);
  // Another writer has created one of this format since the check.
  if (other !== undefined && textOf(other, 'format') !== formatOf(context)) {
    await deleteRows(statements, numberOf(other, 'number'));
  }
  await statements.run(
    `INSERT INTO tool_catalogs (name, format, hash, revision, tool_count, next_tool, field_lengths, vector_sum, clusters, clustered_count, updated_at)
     VALUES (?, ?, '', 0, 0, 0, '[]', ?, ?, 0, ?) ON CONFLICT (name) DO NOTHING`,
    [
      ...[key, formatOf(context), asBytes(new Float64Array(context.embedder.dimensions))],
      ...[new Uint8Array(), context.now()],
    ],
  );
  const made = await readCatalog(statements, context, { name, isLocked: true });
  if (made === undefined) throw new Error(`Catalog '${name}' was changed by another version of this program`);
  return made;
}

async function deleteRows(statements: Statements, catalog: number): Promise<void> {
  for (const table of ['catalog_tools', 'tool_words', 'tool_names', 'tool_vectors', 'tool_terms']) {
    await statements.run(`DELETE FROM ${table} WHERE catalog = ?`, [catalog]);
  }
  await statements.run('DELETE FROM tool_catalogs WHERE number = ?', [catalog]);
}

type KeyedTool = readonly [key: string, tool: Tool];

/** Changes one catalog in one transaction, and its counts along with its rows. */
function batchWriter(context: IndexContext, statements: Statements, catalog: CatalogRow) {
  const { embedder, vectors } = context;
  const { number } = catalog;
  const counts = new Map<string, number>();
  const lengths = [...catalog.fieldLengths];
  const sum = catalog.vectorSum.slice();
  const outcome = { written: 0, removed: 0, unchanged: 0 };
  let { toolCount, nextTool } = catalog;
  let read = 0;
  /** The rows that the database is writing while the next ones are made. */
  let writing: Promise<void> = Promise.resolve();

  async function putSome(tools: readonly KeyedTool[]): Promise<void> {
    const given = tools.map(([key, tool]) => {
      const definition = writeStoredTool(tool);
      return { key, tool, definition, hash: digest(definition) };
    });
    const keys = given.map(({ key }) => key);
    const known = await readHashes(statements, number, keys);
    const changed = given.filter(({ key, hash }) => known.get(key)?.hash !== hash);
    outcome.unchanged += given.length - changed.length;
    if (changed.length === 0) return;
    await forget(changed.flatMap(({ key }) => known.get(key)?.number ?? []));
    const rows: object[] = [];
    for (const { key, tool, definition, hash } of changed) {
      const t = known.get(key)?.number ?? nextTool++;
      if (!known.has(key)) toolCount += 1;
      rows.push({ t, k: key, h: hash, d: definition, ...(await index(tool)) });
    }
    await writing;
    writing = write(rows);
    // A failure is thrown to the next caller that awaits it.
    writing.catch(() => undefined);
    outcome.written += rows.length;
  }

  /** The part of a tool's row that is computed from its text. */
  async function index(tool: Tool): Promise<object> {
    read += 1;
    if (read % TOOLS_PER_TURN === 0) await setImmediate();
    const terms = readToolTerms(tool);
    const vector = embedder.tool(searchText(tool));
    const { components, scales, signs } = buildVectorIndex(1, embedder.dimensions, () => vector);
    const clusters = openClusters(catalog.clusters, signs.length);
    count(terms, vector, 1);
    return {
      w: writeMarks(number, terms),
      n: terms.nameKeys.map(storedKey),
      c: clusters.count === 0 ? 0 : clusters.nearest(signs),
      b: writeBits(signs, embedder.dimensions),
      v: writeVector(components, scales[0] ?? 0).toString('base64'),
      ...(vectors === 'pgvector' ? { e: `[${vector.join(',')}]` } : {}),
    };
  }

  async function write(rows: readonly object[]): Promise<void> {
    const hasEmbedding = vectors === 'pgvector';
    await statements.run(
      `WITH given AS MATERIALIZED (
         SELECT ?::int AS catalog, * FROM json_to_recordset(?::json)
           AS row (t int, k text, h text, d text, w text, n text[], c int, b text, v text, e text)
       ), tools AS (
         INSERT INTO catalog_tools (catalog, tool, key, hash, definition) SELECT catalog, t, k, h, d FROM given
         ON CONFLICT (catalog, tool) DO UPDATE SET hash = excluded.hash, definition = excluded.definition
       ), words AS (
         INSERT INTO tool_words (catalog, tool, words) SELECT catalog, t, w::tsvector FROM given
         ON CONFLICT (catalog, tool) DO UPDATE SET words = excluded.words
       ), names AS (
         INSERT INTO tool_names (catalog, key, tool) SELECT catalog, key, t FROM given, unnest(n) AS key
         ON CONFLICT DO NOTHING
       )
       INSERT INTO tool_vectors (catalog, tool, cluster, code, vector${hasEmbedding ? ', embedding' : ''})
       SELECT catalog, t, c, b::bit varying, decode(v, 'base64')${hasEmbedding ? ', e::halfvec' : ''} FROM given
       ON CONFLICT (catalog, tool) DO UPDATE SET cluster = excluded.cluster, code = excluded.code, vector = excluded.vector
         ${hasEmbedding ? ', embedding = excluded.embedding' : ''}`,
      [number, JSON.stringify(rows)],
    );
  }

  /** Subtracts these tools from all counts. */
  async function forget(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    for (const { tool, vector } of await fetchTools({ sql: statements }, number, { numbers })) {
      count(readToolTerms(tool), vector, -1);
    }
  }

  function count(terms: ToolTerms, vector: Float32Array, by: 1 | -1): void {
    for (const term of countedTerms(terms)) counts.set(term, (counts.get(term) ?? 0) + by);
    terms.fieldLengths.forEach((length, field) => {
      lengths[field] = (lengths[field] ?? 0) + by * length;
    });
    for (let i = 0; i < vector.length; i += 1) sum[i] = (sum[i] as number) + by * (vector[i] as number);
  }

  return {
    async remove(keys: readonly string[]): Promise<void> {
      for (const some of chunks(keys, TOOLS_PER_STATEMENT)) {
        const known = await readHashes(statements, number, some);
        const numbers = [...known.values()].map((one) => one.number);
        await forget(numbers);
        for (const table of ['catalog_tools', 'tool_words', 'tool_names', 'tool_vectors']) {
          const text = `DELETE FROM ${table} WHERE catalog = ? AND tool = ANY(?::int[])`;
          await statements.run(text, [number, numberArray(numbers)]);
        }
        toolCount -= numbers.length;
        outcome.removed += numbers.length;
      }
    },
    async put(tools: readonly KeyedTool[]): Promise<void> {
      for (const some of chunks(tools, TOOLS_PER_STATEMENT)) await putSome(some);
    },
    async close(): Promise<SyncOutcome> {
      await writing;
      if (outcome.written + outcome.removed === 0) return outcome;
      await addCounts(statements, number, counts);
      const row = { ...catalog, toolCount, nextTool, fieldLengths: lengths, vectorSum: sum };
      await writeCatalog(statements, row, { hash: '', at: context.now() });
      return outcome;
    },
  };
}

function writeBits(signs: Int32Array, dimensions: number): string {
  let bits = '';
  for (let i = 0; i < dimensions; i += 1) bits += ((signs[i >>> 5] as number) >>> (i & 31)) & 1;
  return bits;
}
