// `node dump-verdict.mjs DATA OUT [--model FILE] [--reranker FILE] [--requests N]`: what the verdict has to go by, for held-out requests in mixed catalogs of
// 100, 1,000 and 10,000 tools, once with the service that they are for and once without it. Runs on the build of the packages, as dump-features.mjs does.
import { createHash } from 'node:crypto';
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { createReranker } from '@quartermaster/core/search';
import { embeddedModel, readModel } from '@quartermaster/semantic';
import { searchText } from '../../../core/dist/catalog/index.js';
import { buildBm25Index, QueryRanker } from '../../../core/dist/search/bm25/index.js';
import { HYBRID_DEFAULTS } from '../../../core/dist/search/hybrid/hybrid-options.js';
import { FIT_MODEL as HYBRID_FIT_MODEL, HybridRanker } from '../../../core/dist/search/hybrid/rank-hybrid.js';
import { reconsiderAnswer } from '../../../core/dist/search/hybrid/reconsider-answer.js';
import { buildVectorIndex } from '../../../core/dist/search/semantic/vector-index.js';
import { FIT_MODEL } from '../../../reranker/dist/load-reranker.js';
import { createStaticModel } from '../../dist/static-model.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string' }, reranker: { type: 'string' }, requests: { type: 'string', default: '700' } },
});
const [data, out] = positionals;
/** Tools of a catalog, and how many such catalogs there are. */
const SIZES = [
  [100, 40],
  [1_000, 8],
  [10_000, 1],
];
/** From this cosine on, another service's tool may do what the one that was taken out did: its service goes too. */
const TWIN = 0.6;
const ANSWER = 5;
const embedder =
  values.model === undefined ? embeddedModel() : createStaticModel(readModel(readFileSync(values.model)));
const reranker = values.reranker === undefined ? undefined : await openReranker(values.reranker);
const all = readServers();
const present = { hybrid: HYBRID_FIT_MODEL, reranker: FIT_MODEL, least: HYBRID_DEFAULTS.leastConfidence };
writeFileSync(join(out, 'fit-models.json'), JSON.stringify(present));
const file = createWriteStream(join(out, `takeout${reranker === undefined ? '' : '-reranked'}.jsonl`));
for (const [size, count] of SIZES) {
  for (let number = 0; number < count; number += 1) {
    await dumpCatalog(size, number, Math.ceil(Number(values.requests) / count));
  }
}
file.end();

async function dumpCatalog(size, number, most) {
  const servers = pickServers(size, number);
  const { tools } = parseTools(servers.flatMap(({ server, tools: own }) => own.map((tool) => ({ ...tool, server }))));
  const snapshot = createSnapshot(tools, { maxTools: tools.length, onDuplicate: 'first' });
  const lexical = new QueryRanker(snapshot, buildBm25Index(snapshot.tools));
  const vectors = buildVectorIndex(snapshot.tools.length, embedder.dimensions, (at) =>
    embedder.tool(searchText(snapshot.tools[at])),
  );
  const ranker = new HybridRanker({ snapshot, lexical, vectors, embedder, settings: HYBRID_DEFAULTS });
  const positions = new Map(snapshot.tools.map((tool, at) => [`${tool.server}/${tool.name}`, at]));
  const asked = servers
    .flatMap(({ server, requests }) => (isHeld(server) ? requests : []))
    .map((request) => ({ ...request, gold: request.gold.flatMap((id) => positions.get(id) ?? []) }))
    .filter(({ gold }) => gold.length > 0);
  const step = Math.max(1, Math.floor(asked.length / most));
  for (let at = 0; at < asked.length; at += step) {
    const { query, kind, gold } = asked[at];
    const away = new Set(gold.map((tool) => snapshot.tools[tool].server));
    for (const tool of twinsOf(gold, vectors)) away.add(snapshot.tools[tool].server);
    for (const isTakenOut of [false, true]) {
      const accept = isTakenOut ? (tool) => !away.has(snapshot.tools[tool].server) : undefined;
      const line = await evidenceOf(ranker.rank(query, { accept, wanted: 64 }), snapshot, new Set(gold));
      if (line === undefined) continue;
      const about = { size, catalog: `${size}-${number}`, server: [...away][0], kind, inScope: !isTakenOut, query };
      await write({ ...about, away: away.size, tools: snapshot.tools.length, ...line });
    }
  }
  console.error(`${size}-${number}: ${snapshot.tools.length} tools, ${asked.length} requests`);
}

/** Tools whose texts say about the same as one of these. */
function twinsOf(gold, { components, dimensions, scales }) {
  const found = [];
  for (let tool = 0; tool < scales.length; tool += 1) {
    for (const one of gold) {
      let sum = 0;
      for (let i = 0; i < dimensions; i += 1)
        sum += components[one * dimensions + i] * components[tool * dimensions + i];
      if (sum * scales[one] * scales[tool] >= TWIN) found.push(tool);
    }
  }
  return found;
}

async function evidenceOf(first, snapshot, gold) {
  let answer = first;
  let cosineOf = new Map();
  if (reranker !== undefined) {
    const seen = first.rankings.slice(0, reranker.depth).map(({ tool }) => tool);
    const tools = seen.map((tool) => snapshot.tools[tool]);
    const compared = await reranker.compare([first.text, ...first.clauses].map((text) => ({ text, tools })));
    const [cosines, ...clauses] = compared.kind === 'compared' ? compared.cosines : [];
    if (cosines === undefined) return undefined;
    const best = cosines.map((cosine, at) =>
      clauses.reduce((most, clause) => Math.max(most, (clause?.[at] ?? -1) - 0.1), cosine),
    );
    cosineOf = new Map(seen.map((tool, at) => [tool, best[at]]));
    answer = reconsiderAnswer(first, { cosines, clauses, fitModel: FIT_MODEL }, HYBRID_DEFAULTS);
  }
  const { rated, judging, rankings } = answer;
  const known = judging?.knownShare ?? 0;
  return {
    isRight: rankings.slice(0, ANSWER).some(({ tool }) => gold.has(tool)),
    isNamed: rated.bonuses.some((bonus) => bonus > 0),
    known: round(known),
    clauses: first.clauses.length,
    evidence: Array.from(rated.tools, (tool, at) =>
      [rated.ownMeaning[at], rated.features.bigrams[at], Math.max(0, cosineOf.get(tool) ?? 0)].map(round),
    ),
  };
}

function pickServers(size, number) {
  const random = createRandom(size * 100 + number);
  const shuffled = all.map((server) => [random(), server]).sort((left, right) => left[0] - right[0]);
  const order = shuffled.map(([, server]) => server);
  // Small catalogs begin with servers that were held out, or hardly a request would be theirs.
  const held = order.filter(({ server, requests }) => isHeld(server) && requests.length > 0);
  const first = size < 1_000 ? held.slice(0, 3) : [];
  const picked = [];
  let count = 0;
  for (const server of [...first, ...order.filter((one) => !first.includes(one))]) {
    if (count >= size) break;
    if (count + server.tools.length > size * 1.3) continue;
    picked.push(server);
    count += server.tools.length;
  }
  return picked;
}

/** The project's own catalogs and the servers that its requests are for. */
function readServers() {
  const servers = ['services', 'vendors', 'market'].flatMap((folder) => {
    const url = new URL(`../${folder}/`, import.meta.url);
    return readdirSync(url).flatMap((name) => linesOf(readFileSync(new URL(name, url), 'utf8')).map(toServer));
  });
  const own = new Map();
  const folder = new URL('../requests/', import.meta.url);
  for (const name of readdirSync(folder).filter((one) => one.startsWith('part-'))) {
    for (const { query, relevant, kind, language } of linesOf(readFileSync(new URL(name, folder), 'utf8'))) {
      const [server] = relevant[0].split('/');
      if (language !== undefined && language !== 'en') continue;
      own.set(server, [...(own.get(server) ?? []), { query, kind, gold: relevant }]);
    }
  }
  const real = linesOf(gunzipSync(readFileSync(join(data, 'catalogs/mcp-servers.jsonl.gz'))).toString('utf8'));
  return [...servers, ...real.map(({ server, tools }) => ({ server, tools, requests: own.get(server) ?? [] }))];
}

function toServer({ server, tools, requests }) {
  return {
    server,
    tools: tools.map(({ parameters = {}, ...tool }) => ({ ...tool, inputSchema: schemaOf(parameters) })),
    requests: requests
      .filter(({ language }) => language === undefined || language === 'en')
      .map(({ query, kind, relevant }) => ({ query, kind, gold: relevant.map((name) => `${server}/${name}`) })),
  };
}

function schemaOf(parameters) {
  const described = Object.entries(parameters).map(([name, description]) => [name, description ? { description } : {}]);
  return { type: 'object', properties: Object.fromEntries(described) };
}

/** `is_held` of ../data.py. */
function isHeld(server) {
  return BigInt(`0x${createHash('sha256').update(`server/${server}`).digest('hex')}`) % 4n === 0n;
}

function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function linesOf(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function openReranker(modelFile) {
  const { loadReranker } = await import('@quartermaster/reranker');
  const { cacheEmbeddings } = await import('../../../cli/dist/evaluate/index.js');
  const model = await loadReranker({ modelFile, onUnavailable: (reason) => console.error(reason) });
  if (model === undefined) process.exit(1);
  return createReranker({ embedder: await cacheEmbeddings(model, join(out, 'vectors')), timeoutMs: 600_000 });
}

function write(line) {
  return new Promise((resolve) =>
    file.write(`${JSON.stringify(line)}\n`) ? resolve(undefined) : file.once('drain', () => resolve(undefined)),
  );
}

function round(value) {
  return Number(value.toFixed(4));
}
