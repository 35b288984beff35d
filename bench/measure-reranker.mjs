import { createSnapshot, parseTools } from '@quartermaster/core';
import { createHybridSearcher, createReranker } from '@quartermaster/core/search';
import { loadReranker } from '@quartermaster/reranker';
import { embeddedModel } from '@quartermaster/semantic';
import { cpuTime, median, percentile } from './statistics.mjs';
import { synthesiseQueries, synthesiseTools } from './synthesise-tools.mjs';

/** What is to be reached with vectors that are known. */
const TARGET = { size: 10_000, p50: 25 };
/** Each brings some fifty tools whose vectors are made first, 11 ms each. */
const QUERIES = 40;
const ROUNDS = 3;

/** A search with the reranker where the vectors of its candidates are known, beside one without it: milliseconds of CPU. */
export async function measureReranker({ sizes }) {
  const embedder = await loadReranker({ onUnavailable: (reason) => process.stderr.write(`${reason}\n`) });
  if (embedder === undefined)
    return { markdown: '# The reranker\n\nNot measured: it does not load here.', pictures: {} };
  const rows = [];
  let mark;
  for (const size of sizes.filter((one) => one <= TARGET.size)) {
    process.stderr.write(`${size} tools …\n`);
    const { tools } = parseTools(synthesiseTools(size).flatMap((chunk) => JSON.parse(chunk)));
    const snapshot = createSnapshot(tools, { maxTools: size, onDuplicate: 'first' });
    const queries = synthesiseQueries(snapshot.tools, QUERIES);
    const reranker = createReranker({ embedder, isPreparing: false, timeoutMs: 600_000 });
    const searchers = [{}, { reranker }].map((tuning) =>
      createHybridSearcher(snapshot, { embedder: embeddedModel(), ...tuning }),
    );
    const [without, reranked] = [await timeQueries(searchers[0], queries), await timeQueries(searchers[1], queries)];
    rows.push(`| ${size.toLocaleString('en-US')} | ${ms(without.p50)} | ${ms(reranked.p50)} | ${ms(reranked.p99)} |`);
    if (size === TARGET.size)
      mark = `${ms(reranked.p50)} ms, target ≤ ${TARGET.p50} ms: ${reranked.p50 <= TARGET.p50 ? 'met' : 'missed'}`;
  }
  const lines = [
    '# The reranker',
    '',
    `Synthetic tools, ${QUERIES} queries of two to seven words, each asked once before so that the vectors of its candidates are known; the median of ${ROUNDS} rounds, CPU time of the process.`,
    '',
    '| tools | hybrid p50, ms | with the reranker p50, ms | p99, ms |',
    '|---:|---:|---:|---:|',
    ...rows,
    ...(mark === undefined ? [] : ['', `At ${TARGET.size.toLocaleString('en-US')} tools: ${mark}.`]),
  ];
  return { markdown: lines.join('\n'), pictures: {} };
}

async function timeQueries(searcher, queries) {
  for (const query of queries) await searcher.search({ query });
  const times = queries.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, query] of queries.entries()) {
      times[at].push((await cpuTime(() => searcher.search({ query }))).seconds * 1000);
    }
  }
  const medians = times.map(median);
  return { p50: percentile(medians, 0.5), p99: percentile(medians, 0.99) };
}

function ms(value) {
  return value.toFixed(1);
}
