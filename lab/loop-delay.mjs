// Hostile input from one client, and how long another one waits for its answer meanwhile. Nothing may hold the event loop for long.
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { drawBars } from '../bench/draw-bars.mjs';
import { makeBody, makeDefinitions, renamed } from '../bench/gateway/bodies.mjs';
import { startBareGateway, startPing, startUpstream } from './processes/start-process.mjs';

/** What the gateway's own code may hold the loop for; */
const MOST_MS = 50;
/** and what a round trip and a busy machine add, measured before anything hostile is sent. */
const QUIET_MS = 1_000;
/** Each is sent so often, with new content where that matters, and the shortest wait counts: the others are what the machine did beside it. */
const TURNS = 3;
const SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const deferred = (tool) => ({ ...tool, defer_loading: true });
const long = (text, length = 4_000) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** As high as a gateway lets them be. */
const HUGE_TOOLS = 100_000;
const LIMITS = { maxCatalogTools: HUGE_TOOLS, maxSearchedTools: HUGE_TOOLS };

/** Small tools: all of them fit into one body. */
function hugeCatalog(turn) {
  return Array.from({ length: HUGE_TOOLS }, (_, at) => ({
    name: `record_${at}_${turn}`,
    description: `Reads record ${at} of the ledger ${at % 97} in the region ${at % 31}`,
    input_schema: { type: 'object', properties: { id: { type: 'string' } } },
  }));
}

const EMPTY = `${'{},'.repeat(4_000_000)}{}`;

/** `npm run lab -- loop-delay [file to draw into]` */
export async function run([picture]) {
  const upstream = await startUpstream();
  const gateway = await startBareGateway(upstream.port, { settings: LIMITS });
  const ping = await startPing(gateway.port);
  const problems = [];
  const post = (path, body, method = 'POST') =>
    fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }).then((response) => {
      if (response.status >= 500) problems.push(`${method} ${path}: ${response.status}`);
      return response.text();
    });
  try {
    const definitions = makeDefinitions(10_000);
    await post(
      '/v1/messages',
      makeBody([SEARCH, ...definitions.slice(0, 60).map(deferred)], { model: 'claude-searching' }),
    );
    await post('/v1/catalogs/small', { tools: definitions.slice(0, 1_000) }, 'PUT');
    for (const query of ['list invoices', 'create a report']) await post('/v1/catalogs/small/search', { query });
    await pause(QUIET_MS);
    await ping.figures();
    await pause(QUIET_MS);
    const quiet = (await ping.figures()).longestMs;
    const named = (turn, size = 'large') => [
      SEARCH,
      { type: 'quartermaster_catalog', name: `${size}-${turn}`, defer_loading: true },
    ];
    const inputs = {
      'a catalog of 10,000 tools is uploaded': (turn) =>
        post(`/v1/catalogs/large-${turn}`, { tools: renamed(definitions, turn) }, 'PUT'),
      'its first use': (turn) => post('/v1/messages', makeBody(named(turn), { model: 'claude-searching' })),
      'it is read back': (turn) => post(`/v1/catalogs/large-${turn}`, undefined, 'GET'),
      'its first search': (turn) => post(`/v1/catalogs/large-${turn}/search`, { query: 'list invoices' }),
      'how its tools are used': (turn) => post(`/v1/catalogs/large-${turn}/usage`, undefined, 'GET'),
      'the list of its tools': (turn) => post(`/v1/catalogs/large-${turn}/tools`, undefined, 'GET'),
      'a query whose words no tool has': (turn) =>
        post(`/v1/catalogs/large-${turn}/search`, { query: long('lsit invoces craete reprots ') }),
      'a catalog of 100,000 tools is uploaded': (turn) =>
        post(`/v1/catalogs/huge-${turn}`, JSON.stringify(hugeCatalog(turn)), 'PUT'),
      'its first use by a model': (turn) =>
        post('/v1/messages', makeBody(named(turn, 'huge'), { model: 'claude-searching' })),
      'its first search after that': (turn) => post(`/v1/catalogs/huge-${turn}/search`, { query: 'list invoices' }),
      'words that none of its tools has': (turn) =>
        post(`/v1/catalogs/huge-${turn}/search`, { query: long('lsit invoces craete reprots ') }),
      'an evaluation of a thousand cases': () =>
        post('/v1/catalogs/large-0/evaluate', {
          cases: Array.from({ length: 1_000 }, (_, at) => ({ query: `list invoices ${at}`, tools: ['x'] })),
        }),
      'a search that brings 10,000 tools': (turn) =>
        post('/v1/search', { query: 'list invoices', tools: renamed(definitions, turn) }),
      'a question of empty objects': () => post('/v1/catalogs/large-0/search', `[${'{},'.repeat(340_000)}{}]`),
      'an upload that is no list': () => post('/v1/catalogs/odd', `{"a":[${'{},'.repeat(4_000_000)}{}]}`, 'PUT'),
      'an upload of one huge tool': () =>
        post('/v1/catalogs/odd', [{ ...definitions[0], description: 'long words '.repeat(1_000_000) }], 'PUT'),
      'a query of one long word': () => post('/v1/catalogs/large-0/search', { query: long('請求書を作成') }),
      'a query of operators': () => post('/v1/catalogs/large-0/search', { query: long('+a +b ') }),
      'a query of many clauses': () =>
        post('/v1/catalogs/large-0/search', { query: long('create an invoice and then list users and ') }),
      'sixteen long queries': () =>
        post('/v1/catalogs/large-0/search', {
          queries: Array.from({ length: 16 }, (_, at) => `${at} ${long('list mail ')}`.slice(0, 4_000)),
        }),
      'a body of nested lists': () => post('/v1/messages', `{"model":"m","tools":${'['.repeat(400_000)}`),
      'a body of 30 MB without tools': () => post('/v1/messages', `{"model":"m","messages":${'['.repeat(30_000_000)}`),
      'a body of a thousand tools': () =>
        post(
          '/v1/messages',
          makeBody([SEARCH, ...definitions.slice(0, 1_000).map(deferred)], { model: 'claude-searching' }),
        ),
      'tools of empty objects': () =>
        post(
          '/v1/messages',
          `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"tools":[${'{},'.repeat(250_000)}{}]}`,
        ),
      'a message of a megabyte': () => post('/v1/messages', makeBody([SEARCH], { text: 'x'.repeat(1_000_000) })),
      'messages of four million empty objects': () =>
        post('/v1/messages', `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[${EMPTY}]}]}`),
      'the same to count': () =>
        post('/v1/messages/count_tokens', `{"model":"m","messages":[{"role":"user","content":[${EMPTY}]}]}`),
      'the same as a batch': () =>
        post('/v1/messages/batches', `{"requests":[{"custom_id":"a","params":{"model":"m","messages":[${EMPTY}]}}]}`),
      'the same for Chat': () =>
        post('/v1/chat/completions', `{"model":"m","messages":[{"role":"user","content":[${EMPTY}]}]}`),
      'ten answers that come as fast as they can': async () => {
        const flooding = makeBody(undefined, { model: 'claude-flooding', stream: true });
        const [text] = await Promise.all(Array.from({ length: 10 }, () => post('/v1/messages', flooding)));
        return text;
      },
      'a body of 16 MB': () => post('/v1/messages', makeBody([SEARCH, ...definitions.slice(0, 9_000).map(deferred)])),
    };
    const waits = [];
    console.log(`quiet: ${quiet.toFixed(0)} ms`);
    for (const [what, send] of Object.entries(inputs)) {
      let least = Number.POSITIVE_INFINITY;
      let answer = '';
      for (let turn = 0; turn < TURNS; turn += 1) {
        await ping.figures();
        answer = await send(turn);
        await pause(100);
        least = Math.min(least, (await ping.figures()).longestMs);
      }
      console.log(`${what}: ${least.toFixed(0)} ms   ${answer.slice(0, 60).replaceAll('\n', ' ')}`);
      waits.push({ label: what, value: least });
      if (least > MOST_MS + quiet) problems.push(`${what}: another client waited ${least.toFixed(0)} ms`);
    }
    if (picture !== undefined) writeFileSync(picture, draw(waits, quiet));
    return problems;
  } finally {
    ping.stop();
    gateway.stop();
    upstream.stop();
  }
}

function draw(waits, quiet) {
  const title = `How long another client waits, ms (a quiet gateway: ${quiet.toFixed(0)}; allowed: ${MOST_MS} more)`;
  return drawBars([{ title, bars: waits }], { labelWidth: 250 });
}
