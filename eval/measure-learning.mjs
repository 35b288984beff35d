// `node eval/measure-learning.mjs [FOLDER]`: half of a set's requests as a history of calls, the others asked before and after learning from it.
// A second history leaves out every second tool, and shows what that costs requests for the tools that are left out.
import { createSearcher, evaluateQueries, learnHistory } from 'quartermaster';
import { listSets, readSample, readSet } from './data-sets.mjs';
import { readOwnRequests } from './own-requests.mjs';

const ENGINES = /** @type {const} */ (['hybrid', 'hybrid+reranker']);
/** More would only take longer. */
const MOST_ASKED = 1_500;
const cacheFolder = process.env.QUARTERMASTER_VECTORS;

const [folder] = process.argv.slice(2);
console.log('| set | engine | requests | hit@1 | learned | tools without history | hit@1 | learned |');
console.log('|---|---|---:|---:|---:|---:|---:|---:|');
for (const set of folder === undefined ? [await sample()] : await Promise.all(listSets(folder).map(readReported))) {
  if (set !== undefined) await measure(set);
}

async function sample() {
  const { name, snapshot, queries } = await readSample();
  return { name, snapshot, queries: [...queries, ...readOwnRequests([])], isReported: () => true };
}

async function readReported(path) {
  const set = await readSet(folder, path);
  return set.isMain ? set : undefined;
}

async function measure({ name, snapshot, queries, isReported }) {
  const answerable = queries.filter(({ relevant, query }) => relevant.length > 0 && query.length < 4_000);
  const mixed = shuffle(answerable);
  const half = Math.floor(mixed.length / 2);
  const calls = mixed.slice(0, half).map(({ query, relevant }) => ({ query, called: relevant }));
  // Of the others, only what no model has learned from.
  const asked = mixed
    .slice(half)
    .filter(({ split }) => isReported(split))
    .slice(0, MOST_ASKED);
  const tools = shuffle([...new Set(mixed.flatMap(({ relevant }) => relevant))].sort());
  const left = new Set(tools.filter((_, at) => at % 2 === 0));
  const fewer = calls.filter(({ called }) => !called.some((tool) => left.has(tool)));
  const [whole, partial] = [learnHistory(calls, snapshot), learnHistory(fewer, snapshot)];
  const unused = asked.filter(({ relevant }) => !partial.hasCalled(relevant));
  for (const engine of ENGINES) {
    const searcher = await createSearcher(engine, snapshot, { cacheFolder });
    const hit = async (requests, search) => {
      const outcomes = await evaluateQueries(requests, { searcher: search, snapshot });
      const hits = outcomes.reduce((sum, one) => sum + (one.kind === 'answerable' ? one.score.hit1 : 0), 0);
      return ((100 * hits) / outcomes.length).toFixed(1);
    };
    const all = [await hit(asked, searcher), await hit(asked, whole.after(searcher))];
    const without = [await hit(unused, searcher), await hit(unused, partial.after(searcher))];
    console.log(`| ${[name, engine, asked.length, ...all, unused.length, ...without].join(' | ')} |`);
  }
}

/** In a fixed disorder. */
function shuffle(list) {
  let seed = 7;
  const drawn = list.map((item) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return { item, order: seed };
  });
  return drawn.sort((left, right) => left.order - right.order).map(({ item }) => item);
}
