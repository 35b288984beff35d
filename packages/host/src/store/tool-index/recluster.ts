import { setImmediate } from 'node:timers/promises';
import { numberOf, textOf } from '../internal/columns.ts';
import { readCatalog, writeCatalog } from './catalog-figures.ts';
import { clusterCountFor, findMiddles, needsClusters, openClusters } from './clusters.ts';
import { type IndexContext, numberArray } from './index-context.ts';

/**
 * Moves the tools of a catalog that has outgrown its clusters to new ones. Rows are written first, a few thousand at a time, and the
 * centres last: until then a search looks into the clusters of the old centres, and may miss tools that have moved.
 */
export async function clusterCatalog(context: IndexContext, name: string): Promise<void> {
  if (context.vectors === 'pgvector') return;
  const { sql, embedder } = context;
  const catalog = await readCatalog(sql, context, { name });
  if (catalog === undefined || !needsClusters(catalog.toolCount, catalog.clusteredCount)) return;
  const words = Math.ceil(embedder.dimensions / 32);
  const count = clusterCountFor(catalog.toolCount);
  const middles = await inTurns(findMiddles(await readSample(context, catalog.number, words), { words, count }));
  const clusters = openClusters(middles, words);
  for (let last = -1; ; ) {
    const rows = await sql.all(
      `SELECT tool, code::text AS code FROM tool_vectors WHERE catalog = ? AND tool > ? ORDER BY tool LIMIT ${TOOLS_PER_STATEMENT}`,
      [catalog.number, last],
    );
    const lastRow = rows.at(-1);
    if (lastRow === undefined) break;
    last = numberOf(lastRow, 'tool');
    const tools = rows.map((row) => numberOf(row, 'tool'));
    const chosen = rows.map((row) => clusters.nearest(readBits(textOf(row, 'code'), words)));
    await setImmediate();
    await sql.transaction(
      (statements) =>
        statements.run(
          `UPDATE tool_vectors AS known SET cluster = moved.cluster FROM unnest(?::int[], ?::int[]) AS moved (tool, cluster)
           WHERE known.catalog = ? AND known.tool = moved.tool`,
          [numberArray(tools), numberArray(chosen), catalog.number],
        ),
      { isUnhurried: true },
    );
  }
  await sql.transaction(async (statements) => {
    const now = await readCatalog(statements, context, { name, isLocked: true });
    if (now === undefined) return;
    await writeCatalog(
      statements,
      { ...now, clusters: middles, clusteredCount: now.toolCount },
      { hash: now.hash, at: context.now() },
    );
  });
}

const TOOLS_PER_STATEMENT = 2_048;
const SAMPLED = 16_384;

/** Tools from all over the catalog, by their numbers. */
async function readSample({ sql }: IndexContext, catalog: number, words: number): Promise<Int32Array> {
  const [row] = await sql.all('SELECT max(tool) AS last FROM tool_vectors WHERE catalog = ?', [catalog]);
  const last = row === undefined ? 0 : numberOf(row, 'last');
  const step = Math.max(1, Math.floor(last / SAMPLED));
  const codes: Int32Array[] = [];
  for (let start = 0; start <= last; start += step * TOOLS_PER_STATEMENT) {
    const numbers = Array.from({ length: TOOLS_PER_STATEMENT }, (_, at) => start + at * step);
    const rows = await sql.all(
      'SELECT code::text AS code FROM tool_vectors WHERE catalog = ? AND tool = ANY(?::int[]) ORDER BY tool',
      [catalog, numberArray(numbers)],
    );
    for (const found of rows) codes.push(readBits(textOf(found, 'code'), words));
  }
  const sample = new Int32Array(codes.length * words);
  for (const [at, code] of codes.entries()) sample.set(code, at * words);
  return sample;
}

function readBits(bits: string, words: number): Int32Array {
  const signs = new Int32Array(words);
  for (let i = 0; i < bits.length; i += 1) {
    if (bits.charCodeAt(i) === ONE) signs[i >>> 5] = (signs[i >>> 5] as number) | (1 << (i & 31));
  }
  return signs;
}

const ONE = 0x31;

async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await setImmediate();
  }
}
