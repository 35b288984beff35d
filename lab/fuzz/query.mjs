// Queries of any characters and operators: every engine answers within its limit, with tools that the caller may see, the same twice.
import { createBm25Searcher, createSnapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { PatternError, QueryError } from '@quartermaster/core/errors';
import { createRegexSearcher } from '@quartermaster/core/search';
import { createEmbeddedSearcher } from '@quartermaster/semantic';

const WORDS = [
  'create',
  'invoice',
  'list',
  'users',
  'send',
  'mail',
  'the',
  'please',
  'and',
  'nested',
  '請求書',
  'größe',
];
const MARKS = ['+', 'select:', 'server:', '"', '-', ',', ';', '/', '.*', '(?i)', '[', ')', '\\', '…'];

export async function fuzz(random, count) {
  const tools = Array.from({ length: 120 }, (_, at) =>
    createTool({
      name: `${WORDS[at % 6]}_${WORDS[(at * 7 + 1) % 6]}_${at}`,
      server: `server${at % 5}`,
      description: `${WORDS[(at * 3) % WORDS.length]} the ${WORDS[(at * 5) % WORDS.length]} number ${at}`,
      schema: {
        type: 'object',
        properties: { [WORDS[at % 5]]: { type: 'string', description: WORDS[(at + 3) % 12] } },
      },
    }),
  );
  const snapshot = createSnapshot(tools);
  const engines = [createBm25Searcher(snapshot), createRegexSearcher(snapshot), createEmbeddedSearcher(snapshot)];
  const problems = [];
  let refused = 0;
  for (let done = 0; done < count; done += 1) {
    const searcher = random.pick(engines);
    const query = random.isOne(20) ? random.list(20, () => queryIn(random)) : queryIn(random);
    const limit = random.pick([undefined, 1, 3, 50]);
    const allow = random.isOne(3) ? (tool) => tool.server !== 'server1' : undefined;
    const request = { query, ...(limit === undefined ? {} : { limit }), ...(allow === undefined ? {} : { allow }) };
    try {
      const { hits, verdict } = await searcher.search(request);
      const isSound =
        hits.length <= (limit ?? 5) &&
        hits.every(({ tool, score }) => Number.isFinite(score) && (allow?.(tool) ?? true));
      const again = random.isOne(50) ? await searcher.search(request) : { hits, verdict };
      const isSame = again.verdict === verdict && again.hits.every(({ tool }, at) => tool === hits[at]?.tool);
      if (!isSound || !isSame) problems.push(`${searcher.engine}: ${JSON.stringify(request)}`);
    } catch (error) {
      if (error instanceof PatternError || error instanceof QueryError) refused += 1;
      else problems.push(`${searcher.engine}: ${JSON.stringify(request)}: ${error}`);
    }
  }
  return { cases: count, problems, note: `${refused} refused` };
}

function queryIn(random) {
  if (random.isOne(500)) return random.text(6_000);
  return random
    .list(6, () => random.pick([() => random.pick(WORDS), () => random.pick(MARKS), () => random.text(6)])())
    .join(random.pick([' ', ' ', '']));
}
