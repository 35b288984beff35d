// `node mine-negatives.mjs TOOLS REQUESTS OUT`: for each request the engine's best tools that are no answer to it, as rows of
// 24 places (Uint16 indexes into TOOLS, 65535 for none). `lists.py` reads them. Runs on the build of the packages.
import { readFileSync, writeFileSync } from 'node:fs';
import { createSnapshot, parseTools } from '@quartermaster/core';
import { embeddedModel } from '@quartermaster/semantic';
import { searchText } from '../../core/dist/catalog/index.js';
import { buildBm25Index, QueryRanker } from '../../core/dist/search/bm25/index.js';
import { HYBRID_DEFAULTS } from '../../core/dist/search/hybrid/hybrid-options.js';
import { HybridRanker } from '../../core/dist/search/hybrid/rank-hybrid.js';
import { buildVectorIndex } from '../../core/dist/search/semantic/vector-index.js';

const PLACES = 24;
const NONE = 65535;
/** Catalogs that were put together from many: what stands above the right tool is too often as right. */
const POOLED = new Set(['bfcl_pooled', 'seal_tools', 'metatool', 'stabletoolbench']);

const [toolsFile, requestsFile, outFile] = process.argv.slice(2);
const tools = readLines(toolsFile);
const requests = readLines(requestsFile);
const embedder = embeddedModel();
const found = new Uint16Array(requests.length * PLACES).fill(NONE);
for (const catalog of new Set(requests.map((request) => request.catalog))) {
  const own = tools.flatMap((tool, at) => (tool.catalog === catalog ? [{ tool, at }] : []));
  const { ranker, places } = openCatalog(own);
  for (const [row, request] of requests.entries()) {
    if (request.catalog !== catalog) continue;
    const best = ranker.rank(request.query, { wanted: PLACES * 2 }).rankings.flatMap(({ tool }) => places[tool] ?? []);
    const gold = new Set(request.gold);
    const firstRight = best.findIndex((at) => gold.has(at));
    const below = POOLED.has(catalog) && firstRight > 0 ? best.slice(firstRight) : best;
    const wrong = below.filter((at) => !gold.has(at)).slice(0, PLACES);
    found.set(wrong, row * PLACES);
  }
  console.error(catalog);
}
writeFileSync(outFile, found);

function openCatalog(own) {
  const raw = own.map(({ tool }) => ({
    name: tool.name,
    server: tool.server || tool.catalog,
    description: tool.description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(Object.keys(tool.parameters).map((name) => [name, {}])),
      description: tool.details,
    },
  }));
  const { tools: parsed } = parseTools(raw);
  const snapshot = createSnapshot(parsed, { maxTools: parsed.length, onDuplicate: 'first' });
  const indexOf = new Map(own.map(({ tool, at }) => [`${tool.server || tool.catalog}/${tool.name}`, at]));
  const lexical = new QueryRanker(snapshot, buildBm25Index(snapshot.tools));
  const vectors = buildVectorIndex(snapshot.tools.length, embedder.dimensions, (at) =>
    embedder.tool(searchText(snapshot.tools[at])),
  );
  const ranker = new HybridRanker({ snapshot, lexical, vectors, embedder, settings: HYBRID_DEFAULTS });
  return { ranker, places: snapshot.tools.map((tool) => indexOf.get(`${tool.server}/${tool.name}`)) };
}

function readLines(path) {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
