// What a hybrid index costs that is loaded from disk, or taken over from one of mostly the same tools, against building it:
// everything from the tools until a search can begin. Files are real ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSnapshot } from '@quartermaster/core';
import { createIndexCache } from '@quartermaster/host/search';
import { createEmbeddedSearcher, embeddedModel } from '@quartermaster/semantic';
import { cpuTime, median } from './statistics.mjs';

/** An index is kept in two parts, its words and its vectors. */
const PARTS = 2;
const WARM_UPS = 2;
/** One server of so many lists its tools again. */
const SERVERS = 50;

/**
 * The three ways take turns, so that each meets the same machine.
 * @param hashing seconds (`cpu`, `wall`) that it took to hash the text that the tools were read from, which the index is kept by
 */
export async function measureKept(tools, { runs, contentKey, hashing }) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-bench-'));
  // A cache of its own each time: one that was used has its indexes in memory.
  const onDisk = () => createIndexCache({ folder, diskBytes: 4 * 1024 ** 3, storeBytes: 0 }, { env: {} });
  try {
    embeddedModel();
    await prepareAndKeep({ tools, contentKey }, onDisk());
    const times = { build: [], load: [], change: [] };
    for (let run = -WARM_UPS; run < runs; run += 1) {
      const build = await timed(() => prepare({ tools, contentKey }));
      const load = await measureLoad({ tools, contentKey }, onDisk(), hashing);
      const change = await measureChange(tools, { run, digest: onDisk().digest });
      if (run < 0) continue;
      times.build.push(build);
      times.load.push(load);
      times.change.push(change);
    }
    const medians = (list) => ({ cpu: median(list.map(({ cpu }) => cpu)), wall: median(list.map(({ wall }) => wall)) });
    return { build: medians(times.build), load: medians(times.load), change: medians(times.change), runs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureLoad(catalog, cache, hashing) {
  let loaded = 0;
  const counted = {
    digest: cache.digest,
    load: async (key) => {
      const bytes = await cache.load(key);
      loaded += bytes === undefined ? 0 : 1;
      return bytes;
    },
    save: async () => undefined,
  };
  const { cpu, wall } = await timed(() => prepare(catalog, counted));
  if (loaded !== PARTS) throw new Error(`${loaded} of ${PARTS} parts were loaded: this did not measure loading`);
  return { cpu: cpu + hashing.cpu, wall: wall + hashing.wall };
}

/** One server of fifty has changed all its tools and lists one more, while the index from before is still in use. */
async function measureChange(tools, { run, digest }) {
  const cache = { digest, load: async () => undefined, save: async () => undefined };
  const before = await prepareAndKeep({ tools }, cache);
  const start = Math.floor(tools.length / 2);
  const end = start + Math.ceil(tools.length / SERVERS);
  const relisted = tools
    .slice(start, end)
    .map((tool) => ({ ...tool, description: `${tool.description} Version ${run}.` }));
  const one = { ...tools[start], id: `${tools[start].id}_${run}`, name: `${tools[start].name}_${run}` };
  const changed = [...tools.slice(0, start), ...relisted, one, ...tools.slice(end)];
  const time = await timed(() => prepare({ tools: changed }, cache));
  // Until here it is in use.
  before.byteLength();
  return time;
}

async function prepare({ tools, contentKey = undefined }, cache) {
  const searcher = createEmbeddedSearcher(createSnapshot(tools, { maxTools: tools.length, contentKey }), { cache });
  await searcher.prepare();
  return searcher;
}

/** A searcher is ready before its index is kept. */
async function prepareAndKeep(catalog, cache) {
  let left = PARTS;
  let finish;
  const kept = new Promise((resolve) => {
    finish = resolve;
  });
  const { save } = cache;
  cache.save = async (key, bytes) => {
    await save(key, bytes);
    left -= 1;
    if (left === 0) finish();
  };
  const searcher = await prepare(catalog, cache);
  await kept;
  return searcher;
}

async function timed(work) {
  const before = performance.now();
  const { seconds } = await cpuTime(work);
  return { cpu: seconds, wall: (performance.now() - before) / 1000 };
}
