// A catalog in the memory of this process: what it takes to build, to search and to hold. Prints one line of JSON.
import { createSnapshot, parseTools } from '@quartermaster/core';
import { createEmbeddedSearcher, embeddedModel } from '@quartermaster/semantic';
import { heldBytes, percentile } from '../../bench/statistics.mjs';
import { streamTools, synthesiseQueries } from '../../bench/synthesise-tools.mjs';

const QUERIES = 200;
const WARM = 40;
const size = Number(process.argv[2]);
embeddedModel();
const before = await heldBytes();
const samples = [];
const tools = [];
const every = Math.max(1, Math.floor(size / 400));
for (const chunk of streamTools(size)) {
  for (const [at, tool] of chunk.entries()) if ((tools.length + at) % every === 0) samples.push(tool);
  tools.push(...parseTools(chunk).tools);
}
const [started, cpuBefore] = [performance.now(), process.cpuUsage()];
const snapshot = createSnapshot(tools, { maxTools: size });
const searcher = createEmbeddedSearcher(snapshot, { slices: { sliceMs: 1_000 } });
await searcher.prepare();
const build = (performance.now() - started) / 1000;
const buildCpu = cpuSeconds(cpuBefore);
const times = [];
let searchedFrom = process.cpuUsage();
for (const [at, query] of synthesiseQueries(samples, WARM + QUERIES).entries()) {
  if (at === WARM) searchedFrom = process.cpuUsage();
  const asked = performance.now();
  await searcher.search({ query });
  if (at >= WARM) times.push(performance.now() - asked);
}
const cpu = (1000 * cpuSeconds(searchedFrom)) / QUERIES;
const bytes = (await heldBytes()) - before;
const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(times, share));
console.log(
  JSON.stringify({
    build,
    buildCpu,
    bytes,
    index: searcher.byteLength(),
    p50,
    p95,
    p99,
    cpu,
    tools: snapshot.tools.length,
  }),
);

function cpuSeconds(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
