// What an index costs that was kept: everything from the tools to the first answer, against building it. Files are real ones.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSnapshot } from '@quartermaster/core';
import { createIndexCache } from '@quartermaster/host/search';
import { createEmbeddedSearcher, embeddedModel } from '@quartermaster/semantic';
import { cpuTime, median } from './statistics.mjs';

/** @param hashing what it took to hash the text that the tools were read from, which the index is kept by */
export async function measureKept(tools, { runs, contentKey, hashing }) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-bench-'));
  const settings = { folder, diskBytes: 4 * 1024 ** 3, storeBytes: 0 };
  const snapshot = () => createSnapshot(tools, { maxTools: tools.length, contentKey });
  const prepare = async (options) => {
    const searcher = createEmbeddedSearcher(snapshot(), options);
    await searcher.prepare();
    return searcher;
  };
  try {
    embeddedModel();
    const { build: saved } = await timed(1, async () => {
      await prepare({ cache: createIndexCache(settings, { env: {} }) });
    });
    // The files are written after the searcher is ready.
    await new Promise((resolve) => setTimeout(resolve, 1_000 + saved * 500));
    const build = await timed(runs, () => prepare({}));
    // A cache of its own each time: one that was used has its indexes in memory.
    const load = await timed(runs, () => prepare({ cache: createIndexCache(settings, { env: {} }) }));
    const changed = await measureChanged(tools, runs);
    return { build: build.build, load: load.build + hashing, changed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One server of fifty lists other tools than before: what the others have is taken over from the index that is still there. */
async function measureChanged(tools, runs) {
  // Keeps nothing, and hashes as the real caches do.
  const nowhere = {
    load: async () => undefined,
    save: async () => undefined,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  };
  const prepared = async (list, cache) => {
    const searcher = createEmbeddedSearcher(createSnapshot(list, { maxTools: list.length }), { cache });
    await searcher.prepare();
    return searcher;
  };
  const seconds = [];
  for (let run = 0; run < runs; run += 1) {
    const cache = { ...nowhere };
    const before = await prepared(tools, cache);
    // It is noted after the searcher is ready.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const relisted = tools.map((tool, at) =>
      at % 50 === 0 ? { ...tool, description: `${tool.description} (${run})` } : tool,
    );
    seconds.push((await cpuTime(() => prepared(relisted, cache))).seconds);
    before.byteLength();
  }
  return median(seconds);
}

async function timed(runs, work) {
  const seconds = [];
  for (let run = 0; run < runs; run += 1) seconds.push((await cpuTime(work)).seconds);
  return { build: median(seconds) };
}
