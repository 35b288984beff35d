import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findSampleCatalog, InputError, readQueries, readTools } from 'quartermaster';

/** What may be reported for each known set: the part that nothing was trained on. Sets that are not named here are reported whole. */
const REPORTING = {
  metatool: { title: 'unseen', pattern: /^unseen$/ },
  seal_tools: { title: 'test_out_domain', pattern: /^test_out_domain$/ },
  bfcl_pooled: { title: 'live_*', pattern: /^live_/ },
  stabletoolbench: { title: 'G2_*, G3_*', pattern: /^G[23]_/ },
};

/** The figure by which each known set is judged: recall where a request has several tools. */
export const HEADLINES = {
  arcade_dev: 'hit5',
  metatool: 'hit5',
  stabletoolbench: 'recall5',
  apibank: 'hit5',
  bfcl_pooled: 'recall5',
};

/** Queries for one catalog asked of another, in which nothing fits them. */
const UNANSWERABLE = [
  { queries: 'seal_tools', catalog: 'apibank/tools.jsonl.gz' },
  { queries: 'metatool', catalog: '../catalogs/github-mcp-server.tools.jsonl.gz' },
  { queries: 'stabletoolbench', catalog: '../catalogs/github-mcp-server.tools.jsonl.gz' },
];

/** Sets on whose own catalogs the verdict may be calibrated; where a folder has none of them, all that are reported. */
const CALIBRATION = ['apibank', 'arcade_dev'];

/** Evenly spaced: more queries would only take longer. */
const MOST_UNANSWERABLE = 1_000;

/** The sets of a folder: its subfolders with tools and queries. */
export function listSets(folder) {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new InputError(
      `${folder}: there is no such folder of data sets (NAME/tools.jsonl.gz and NAME/queries.jsonl.gz); without one, the sample catalog is measured`,
    );
  }
  const names = readdirSync(folder).filter((name) => fileIn(folder, name, 'tools') !== undefined);
  // "apibank" and then, as a set of its own that no average counts, "apibank queries_keywords".
  const sets = names.sort().flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => /^queries\w*\.jsonl(\.gz)?$/.test(file))
      .sort()
      .map((file) => `${name}/${file}`),
  );
  if (sets.length === 0)
    throw new InputError(
      `${folder}: there are no data sets in this folder (NAME/tools.jsonl.gz and NAME/queries.jsonl.gz)`,
    );
  return sets;
}

/** Whether the right answers of a set count in what a stricter verdict may lose. */
export function isCalibration({ name, isMain, isKnownFolder }) {
  return isMain && (!isKnownFolder || CALIBRATION.includes(name));
}

/** One set of `listSets` with its catalog and its reporting split. */
export async function readSet(folder, path) {
  const [name, file] = path.split('/');
  const { snapshot } = await readCatalog([fileIn(folder, name, 'tools')]);
  const queries = await readAll([join(folder, path)]);
  const kind = basename(file).replace(/\.jsonl(\.gz)?$/, '');
  const isMain = kind === 'queries';
  const reporting = isMain ? REPORTING[name] : undefined;
  return {
    name: isMain ? name : `${name} ${kind.replace('queries_', '')}`,
    isMain,
    isKnownFolder: CALIBRATION.some((known) => fileIn(folder, known, 'tools') !== undefined),
    snapshot,
    queries,
    isReported: (split) => reporting === undefined || reporting.pattern.test(split ?? ''),
    reporting: reporting?.title ?? 'all',
  };
}

/** The pairs for which both files are there. */
export async function readUnanswerable(folder) {
  const pairs = [];
  for (const { queries: name, catalog } of UNANSWERABLE) {
    const file = fileIn(folder, name, 'queries');
    const tools = join(folder, catalog);
    if (file === undefined || !existsSync(tools)) continue;
    const { snapshot } = await readCatalog([tools]);
    const pattern = REPORTING[name]?.pattern;
    const all = (await readAll([file])).filter(({ split }) => pattern?.test(split ?? '') ?? true);
    const step = Math.max(1, all.length / MOST_UNANSWERABLE);
    const queries = Array.from({ length: Math.floor(all.length / step) }, (_, index) => ({
      query: all[Math.floor(index * step)].query,
      relevant: [],
    }));
    pairs.push({
      name: `${name} → ${basename(catalog) === 'tools.jsonl.gz' ? catalog.split('/')[0] : basename(catalog).split('.')[0]}`,
      snapshot,
      queries,
    });
  }
  return pairs;
}

export async function readSample() {
  const { tools, queries } = findSampleCatalog();
  const { snapshot } = await readCatalog(tools);
  return { name: 'sample catalog', snapshot, queries: await readAll(queries) };
}

function readCatalog(files) {
  return readTools(files, { stdin: process.stdin, maxTools: 1_000_000 });
}

async function readAll(files) {
  const queries = [];
  for (const file of files) for await (const query of readQueries(file, process.stdin)) queries.push(query);
  return queries;
}

function fileIn(folder, name, kind) {
  return [`${kind}.jsonl.gz`, `${kind}.jsonl`].map((file) => join(folder, name, file)).find((path) => existsSync(path));
}
