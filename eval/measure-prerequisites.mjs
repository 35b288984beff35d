// `node eval/measure-prerequisites.mjs [FOLDER] [--model FILE]`: whether a tool that another one needs first deserves the last of five places.
// It is learned from schemas (one tool's parameter names what another one finds) or from use (tools called for the same request). With a model
// that has not seen them, the project's held-out requests choose the setting; the sample and the sets of FOLDER report it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { createHybridSearcher } from '@quartermaster/core/search';
import { readModel } from '@quartermaster/semantic';
import { createSearcher } from 'quartermaster';
import { createStaticModel } from '../packages/semantic/dist/static-model.js';
import { listSets, readSample, readSet } from './data-sets.mjs';
import { readOwnRequests } from './own-requests.mjs';

/** From where a tool may move up to the last place: a prerequisite that is further down is ignored. */
const DEPTHS = [10, 20, 50];
/** The share of the calls of a tool that came with another one, from which on that one is a prerequisite. */
const SHARES = [0.2, 0.4, 0.6];
const ANSWER = 5;
/** How the name of a parameter ends that names a thing, and how the name of a tool begins that finds some. */
const REFERENCE = /^(id|ids|key|uuid|guid|slug|ref|code|number|name|path)$/;
const FINDS = /(^|[^a-z])(list|search|find|get|lookup|query|browse|fetch)|^(List|Search|Find|Get)/i;
const MULTI = ['stabletoolbench', 'seal_tools', 'apibank'];
const HELD_CATALOGS = ['vendors-a', 'vendors-b', 'market-a', 'market-b', 'market-c'];
const { values, positionals } = parseArgs({ allowPositionals: true, options: { model: { type: 'string' } } });
const [folder] = positionals;

console.log('| requests | engine | count | recall@5 | learned from | recall@5 |');
console.log('|---|---|---:|---:|---|---:|');
if (values.model !== undefined) {
  const embedder = createStaticModel(readModel(readFileSync(values.model)));
  const rows = [];
  for (const name of HELD_CATALOGS) {
    const { snapshot, queries } = readHeld(name);
    rows.push(...(await searchAll(createHybridSearcher(snapshot, { embedder }), snapshot, queries)));
  }
  report('held out', 'hybrid', rows, variants());
} else {
  const chosen = variants();
  for (const { name, snapshot, queries } of await readReported()) {
    for (const engine of /** @type {const} */ (['hybrid', 'hybrid+reranker'])) {
      const rows = await searchAll(await createSearcher(engine, snapshot), snapshot, queries);
      report(name, engine, rows, chosen);
    }
  }
}

/** What may give a prerequisite its place, each with what it is called. */
function variants() {
  return [
    ...DEPTHS.map((depth) => [`schemas, among the first ${depth}`, (row) => fromSchemas(row, depth)]),
    ...SHARES.map((share) => [`use, from a share of ${share}`, (row) => fromUse(row, share)]),
  ];
}

/** Every request's first fifty, and what the other half of the requests called. */
async function searchAll(searcher, snapshot, queries) {
  const byName = new Map(
    snapshot.tools.flatMap((tool) => [
      [tool.name, tool.id],
      [tool.id, tool.id],
    ]),
  );
  const known = queries
    .map(({ query, relevant }) => ({ query, gold: new Set(relevant.flatMap((name) => byName.get(name) ?? [])) }))
    .filter(({ gold, query }) => gold.size > 0 && query.length < 4_000);
  const histories = [0, 1].map((half) => countCalls(known.filter((_, at) => at % 2 !== half)));
  const rows = [];
  for (const [at, { query, gold }] of known.entries()) {
    const { hits } = await searcher.search({ query, limit: 50 });
    rows.push({ gold, tools: hits.map(({ tool }) => tool), history: histories[at % 2] });
  }
  return rows;
}

function report(name, engine, rows, chosen) {
  for (const [kind, some] of [
    ['several tools', rows.filter(({ gold }) => gold.size > 1)],
    ['one tool', rows.filter(({ gold }) => gold.size === 1)],
  ]) {
    if (some.length === 0) continue;
    const before = recall(some, () => undefined);
    for (const [title, find] of chosen) {
      console.log(`| ${[`${name}, ${kind}`, engine, some.length, before, title, recall(some, find)].join(' | ')} |`);
    }
  }
}

/** Of the first five, or of the first four and the one that is found for the last place. */
function recall(rows, find) {
  const shares = rows.map((row) => {
    const ids = row.tools.slice(0, ANSWER).map(({ id }) => id);
    const added = find(row);
    if (added !== undefined && !ids.includes(added)) ids[Math.min(ids.length, ANSWER - 1)] = added;
    return ids.filter((id) => row.gold.has(id)).length / row.gold.size;
  });
  return ((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length).toFixed(1);
}

/** A tool of the same server that finds what a parameter of one of the first tools names: `list_channels` for `channel_id`. */
function fromSchemas({ tools }, depth) {
  const first = tools.slice(0, ANSWER);
  for (const tool of first.slice(0, ANSWER - 1)) {
    for (const noun of namedThings(tool)) {
      const isFinder = ({ name, server }) => server === tool.server && FINDS.test(name) && wordsOf(name).includes(noun);
      if (first.some(isFinder)) continue;
      const found = tools.slice(ANSWER, depth).find(isFinder);
      if (found !== undefined) return found.id;
    }
  }
  return undefined;
}

/** Things that a tool has to be given the id of. */
function namedThings({ schema }) {
  return Object.keys(schema?.properties ?? {}).flatMap((name) => {
    const words = wordsOf(name);
    return words.length > 1 && REFERENCE.test(words.at(-1)) ? [words.at(-2)] : [];
  });
}

/** The tool that was called most often for the same request as one of the first four. */
function fromUse({ tools, history }, least) {
  let [best, most] = [undefined, least];
  const shown = new Set(tools.slice(0, ANSWER).map(({ id }) => id));
  for (const { id } of tools.slice(0, ANSWER - 1)) {
    const calls = history.calls.get(id) ?? 0;
    for (const [other, count] of history.together.get(id) ?? []) {
      if (!shown.has(other) && count > 1 && count / calls >= most) [best, most] = [other, count / calls];
    }
  }
  return best;
}

function countCalls(requests) {
  const calls = new Map();
  const together = new Map();
  for (const { gold } of requests) {
    for (const id of gold) {
      calls.set(id, (calls.get(id) ?? 0) + 1);
      const others = together.get(id) ?? new Map();
      together.set(id, others);
      for (const other of gold) if (other !== id) others.set(other, (others.get(other) ?? 0) + 1);
    }
  }
  return { calls, together };
}

async function readReported() {
  const sample = await readSample();
  const sets = [{ ...sample, name: 'sample', queries: readOwnRequests(sample.queries) }];
  for (const path of folder === undefined ? [] : listSets(folder)) {
    const { name, isMain, snapshot, queries, isReported } = await readSet(folder, path);
    if (isMain && MULTI.includes(name))
      sets.push({ name, snapshot, queries: queries.filter(({ split }) => isReported(split)) });
  }
  return sets;
}

/** A catalog of the project's training data with the requests for its held-out servers. */
function readHeld(catalog) {
  const [kind, start] = catalog.split('-');
  const url = new URL(`../packages/semantic/training/${kind}/`, import.meta.url);
  const services = readdirSync(url)
    .filter((file) => file.startsWith(`${start}-`))
    .flatMap((file) => readFileSync(new URL(file, url), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line));
  const lines = services.flatMap(({ server, tools }) =>
    tools.map(({ parameters = {}, ...tool }) => ({ ...tool, server, inputSchema: schemaOf(parameters) })),
  );
  const snapshot = createSnapshot(parseTools(lines).tools, { maxTools: lines.length, onDuplicate: 'first' });
  const queries = services
    .filter(({ server }) => isHeld(server))
    .flatMap(({ server, requests }) =>
      requests.map(({ query, relevant }) => ({
        query,
        relevant: relevant.map((name) =>
          snapshot.get(`${server}/${name}`) === undefined ? name : `${server}/${name}`,
        ),
      })),
    );
  return { snapshot, queries };
}

function schemaOf(parameters) {
  return { type: 'object', properties: Object.fromEntries(Object.keys(parameters).map((name) => [name, {}])) };
}

/** `is_held` of packages/semantic/training/data.py. */
function isHeld(server) {
  return BigInt(`0x${createHash('sha256').update(`server/${server}`).digest('hex')}`) % 4n === 0n;
}

/** In lower case, without a plural's s. */
function wordsOf(name) {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return words.filter((word) => word !== '').map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
}
