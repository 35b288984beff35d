// `node dump-features.mjs DATA OUT [--reranked] [--model FILE] [--reranker FILE]`: the engine's own features of every candidate for the requests of
// OUT/requests.jsonl. Runs on the build of the packages, whose inner files it needs: rankings with all that was weighed are no public API.
import { createReadStream, createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { createReranker } from '@quartermaster/core/search';
import { embeddedModel, readModel } from '@quartermaster/semantic';
import { searchText } from '../../../core/dist/catalog/index.js';
import { buildBm25Index, QueryRanker } from '../../../core/dist/search/bm25/index.js';
import { FEATURES as TABLE } from '../../../core/dist/search/hybrid/features.js';
import { HYBRID_DEFAULTS } from '../../../core/dist/search/hybrid/hybrid-options.js';
import { HybridRanker } from '../../../core/dist/search/hybrid/rank-hybrid.js';
import { reconsiderAnswer } from '../../../core/dist/search/hybrid/reconsider-answer.js';
import { buildVectorIndex } from '../../../core/dist/search/semantic/vector-index.js';
import { FIT_MODEL } from '../../../reranker/dist/load-reranker.js';
import { createStaticModel } from '../../dist/static-model.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { reranked: { type: 'boolean', default: false }, model: { type: 'string' }, reranker: { type: 'string' } },
});
const [data, out] = positionals;
const embedder =
  values.model === undefined ? embeddedModel() : createStaticModel(readModel(readFileSync(values.model)));
const reranker = values.reranked ? await openReranker() : undefined;
/** The project's own catalogs: `OWN` of ../data.py. */
const OWN = /^(services|vendors|market)(?:-(\w+))?$/;
const FEATURES = TABLE.map(({ name }) => name);
const REFRAIN = 'Part of the Acme platform API; needs an access token of the workspace.';
/** How far down the right tool may be for an answer to count as right. */
const ANSWER = 5;

const byCatalog = new Map();
for await (const line of createInterface({ input: createReadStream(join(out, 'requests.jsonl')) })) {
  const request = JSON.parse(line);
  byCatalog.set(request.catalog, [...(byCatalog.get(request.catalog) ?? []), request]);
}
const suffix = values.reranked ? '-reranked' : '';
const files = {
  ranking: createWriteStream(join(out, `ranking${suffix}.jsonl`)),
  verdict: createWriteStream(join(out, `verdict${suffix}.jsonl`)),
};
writeFileSync(join(out, 'present.json'), JSON.stringify({ ...HYBRID_DEFAULTS, table: TABLE }));
for (const [catalog, requests] of byCatalog) {
  const engine = openCatalog(catalog);
  for (const request of requests) {
    if (files[request.task] === undefined) continue;
    const gold = new Set(request.gold.flatMap((label) => engine.positions.get(label) ?? []));
    if (request.gold.length > 0 && gold.size === 0) continue;
    const line =
      request.task === 'ranking' ? await rankingOf(request, engine, gold) : await verdictOf(request, engine, gold);
    if (line !== undefined) await write(files[request.task], line);
  }
  console.error(`${catalog}: ${requests.length} requests`);
}
for (const file of Object.values(files)) file.end();

function openCatalog(name) {
  const { tools } = parseTools(name.startsWith('alike:') ? alike(toolsOf(name.slice('alike:'.length))) : toolsOf(name));
  const snapshot = createSnapshot(tools, { maxTools: tools.length, onDuplicate: 'first' });
  const lexical = new QueryRanker(snapshot, buildBm25Index(snapshot.tools));
  const vectors = buildVectorIndex(snapshot.tools.length, embedder.dimensions, (at) =>
    embedder.tool(searchText(snapshot.tools[at])),
  );
  const settings = HYBRID_DEFAULTS;
  // Labels are names, and server/name in the catalog of servers.
  const positions = new Map(
    snapshot.tools.flatMap((tool, at) => [
      [tool.name, at],
      [`${tool.server}/${tool.name}`, at],
    ]),
  );
  return { snapshot, lexical, positions, ranker: new HybridRanker({ snapshot, lexical, vectors, embedder, settings }) };
}

/** The same tools as those of one server, where each says at its end what all of them say. */
function alike(tools) {
  return tools.map((tool) => ({ ...tool, server: 'acme', description: `${tool.description ?? ''} ${REFRAIN}` }));
}

function toolsOf(name) {
  if (name.startsWith('servers:')) return serversOf(name.slice('servers:'.length).split(','));
  if (name === 'mcp-servers') return serversOf(undefined);
  if (OWN.test(name)) return ownTools(name);
  const file = name.includes('mcp') ? `catalogs/${name}.tools.jsonl.gz` : `retrieval/${name}/tools.jsonl.gz`;
  return readLines(join(data, file));
}

function serversOf(names) {
  const rows = readLines(join(data, 'catalogs/mcp-servers.jsonl.gz'));
  const wanted = names === undefined ? rows : rows.filter(({ server }) => names.includes(server));
  return wanted.flatMap(({ server, tools }) => tools.map((tool) => ({ ...tool, server })));
}

/** All services as one, or the files of another folder whose names begin alike; parameters are names with what is said of them. */
function ownTools(name) {
  const [, kind, start = ''] = OWN.exec(name);
  const folder = new URL(`../${kind}/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => file.startsWith(start));
  const lines = files.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').trim().split('\n'));
  return lines
    .map((line) => JSON.parse(line))
    .flatMap(({ server, tools }) =>
      tools.map(({ parameters = {}, ...tool }) => ({ ...tool, server, inputSchema: schemaOf(parameters) })),
    );
}

function schemaOf(parameters) {
  const described = Object.entries(parameters).map(([name, description]) => [name, description ? { description } : {}]);
  return { type: 'object', properties: Object.fromEntries(described) };
}

async function rankingOf(request, { ranker, snapshot }, gold) {
  const { answer } = (await lookAgain(ranker.rank(request.query), snapshot)) ?? {};
  if (answer === undefined || answer.rated.tools.length === 0) return undefined;
  return {
    kind: request.kind,
    catalog: request.catalog,
    part: request.part,
    english: request.english,
    gold: gold.size,
    features: FEATURES,
    tools: rowsOf(answer.rated).map(({ tool, bonus, features, clauses, server, closeness }) => [
      gold.has(tool) ? 1 : 0,
      bonus,
      FEATURES.map((name) => round(features[name])),
      clauses.map(round),
      server,
      round(closeness),
    ]),
  };
}

/** What was weighed, tool by tool. */
function rowsOf({ tools, bonuses, features, ownMeaning, clauses, servers, closeness }) {
  return Array.from(tools, (tool, at) => ({
    tool,
    bonus: bonuses[at],
    features: Object.fromEntries(FEATURES.map((name) => [name, features[name][at]])),
    ownMeaning: ownMeaning[at],
    clauses: clauses.map((fits) => fits[at]),
    server: servers[at],
    closeness: closeness[at],
  }));
}

/** The answer and the cosines of its tools, where there is a reranker; undefined for a request that it can't read. */
async function lookAgain(answer, snapshot) {
  if (reranker === undefined) return { answer, cosineOf: new Map() };
  const seen = answer.rankings.slice(0, reranker.depth).map(({ tool }) => tool);
  const tools = seen.map((tool) => snapshot.tools[tool]);
  const compared = await reranker.compare([answer.text, ...answer.clauses].map((text) => ({ text, tools })));
  const [cosines, ...clauses] = compared.kind === 'compared' ? compared.cosines : [];
  if (cosines === undefined) return undefined;
  const cosineOf = new Map(seen.map((tool, at) => [tool, cosines[at]]));
  // Also of another file of the same making, which comes without.
  const look = { cosines, clauses, fitModel: FIT_MODEL };
  return { answer: reconsiderAnswer(answer, look, HYBRID_DEFAULTS), cosineOf };
}

async function verdictOf(request, { ranker, snapshot }, gold) {
  const { answer, cosineOf } = (await lookAgain(ranker.rank(request.query), snapshot)) ?? {};
  if (answer === undefined) return undefined;
  const { rankings, judging } = answer;
  const { knownShare = 0 } = judging ?? {};
  const rows = rowsOf(answer.rated);
  return {
    kind: request.kind,
    catalog: request.catalog,
    from: request.from,
    inScope: request.gold.length > 0,
    isRight: rankings.slice(0, ANSWER).some(({ tool }) => gold.has(tool)),
    isNamed: rows.some(({ bonus }) => bonus > 0),
    evidence: rows.map(({ tool, ownMeaning, features: { bigrams } }) =>
      [ownMeaning, bigrams * knownShare, Math.max(0, cosineOf.get(tool) ?? 0)].map(round),
    ),
  };
}

async function openReranker() {
  const { loadReranker } = await import('@quartermaster/reranker');
  const { cacheEmbeddings } = await import('../../../cli/dist/evaluate/index.js');
  const modelFile = values.reranker === undefined ? {} : { modelFile: values.reranker };
  const reranker = await loadReranker({ ...modelFile, onUnavailable: (reason) => console.error(reason) });
  if (reranker === undefined) process.exit(1);
  return createReranker({ embedder: await cacheEmbeddings(reranker, join(out, 'vectors')), timeoutMs: 600_000 });
}

function readLines(path) {
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Waits while the file is behind: features of thousands of requests don't fit into memory twice. */
function write(file, line) {
  return new Promise((resolve) =>
    file.write(`${JSON.stringify(line)}\n`) ? resolve(undefined) : file.once('drain', resolve),
  );
}

function round(value) {
  return Number(value.toFixed(4));
}
