// The gateway against a bare proxy: what it adds to a request, and whether many streams survive large bodies beside them.

import { startBareGateway, startProcess, startUpstream } from '../lab/processes/start-process.mjs';
import { drawBars } from './draw-bars.mjs';
import { deferred, makeBody, makeDefinitions, namedCatalog, renamed } from './gateway/bodies.mjs';
import { ask, load } from './gateway/client.mjs';
import { EVENTS_SENTENCE, eventRows, measureEvents } from './gateway/measure-events.mjs';
import { inTurn, median, percentile } from './statistics.mjs';

const FEW = 50;
/** With the search tool as many as the Messages API takes. */
const MANY = 9_999;
const CATALOG = 10_000;

/**
 * Rounds of all contestants in turn, so that whatever else the machine does hits them alike. Those to warm up don't count: a server
 * lives longer than the few thousand requests until its code is compiled.
 */
const LOAD = { rounds: 15, warm: 10, requests: 400, concurrency: 8 };
const LARGE = { rounds: 15, warm: 3, pauseMs: 100 };
const NAMED = { rounds: 15, warm: 10, requests: 200, concurrency: 8 };
const FIRST_BYTE = { rounds: 400, warm: 50 };
const STREAMS = { count: 500, large: 8, headStartMs: 500 };

/** What can be measured by itself with `--only`, and the servers that it needs beside the upstream. */
const PARTS = {
  load: { needs: ['proxy', 'gateway'], measure: (servers) => measureLoad(servers, makeDefinitions(FEW)) },
  large: { needs: ['proxy', 'gateway'], measure: (servers) => measureLarge(servers, makeDefinitions(MANY)) },
  named: { needs: ['gateway'], measure: (servers) => measureNamed(servers, makeDefinitions(FEW)) },
  events: {
    needs: [],
    measure: ({ upstream }) => measureEvents(upstream, makeDefinitions(FEW), say),
  },
  'first-byte': { needs: ['gateway'], measure: (servers) => measureFirstByte(servers, makeDefinitions(FEW)) },
  streams: {
    needs: ['gateway'],
    measure: (servers) => measureStreams(servers, { few: makeDefinitions(FEW), many: makeDefinitions(MANY) }),
  },
};

export async function measureGateway({ only = Object.keys(PARTS) }) {
  const unknown = only.find((part) => PARTS[part] === undefined);
  if (unknown !== undefined)
    throw new Error(`The gateway has no part "${unknown}"; --only takes: ${Object.keys(PARTS).join(', ')}`);
  const upstream = await startUpstream();
  const servers = { upstream };
  try {
    /** @type {{ events?: any, 'first-byte'?: any, large?: any }} */
    const facts = {};
    for (const part of Object.keys(PARTS).filter((name) => only.includes(name))) {
      for (const name of PARTS[part].needs) servers[name] ??= await start(name, upstream.port);
      facts[part] = await PARTS[part].measure(servers);
    }
    const rows = Object.keys(facts).flatMap((part) => ROWS[part](facts[part]));
    return { markdown: render(rows, facts), pictures: { 'gateway.svg': drawPicture(rows) } };
  } finally {
    for (const server of Object.values(servers)) server.stop();
  }
}

function start(name, upstreamPort) {
  if (name === 'proxy') return startProcess(new URL('gateway/proxy.mjs', import.meta.url), upstreamPort);
  return startBareGateway(upstreamPort);
}

/** Requests as fast as they are answered: half of them defer their tools, half send them to be passed on. */
async function measureLoad({ proxy, gateway }, few) {
  say(`${FEW} tools …`);
  const bodies = [makeBody(few), makeBody(deferred(few))];
  const contestants = { proxy, gateway };
  const results = { proxy: [], gateway: [] };
  for (let round = -LOAD.warm; round < LOAD.rounds; round += 1) {
    for (const [name, server] of inTurn(contestants, round)) {
      const before = (await server.figures()).cpuMs;
      const { times, ms } = await load(server, bodies, LOAD);
      const cpuMs = (await server.figures()).cpuMs - before;
      if (round < 0) continue;
      results[name].push({
        perSecond: LOAD.requests / (ms / 1_000),
        p99: percentile(times, 0.99),
        cpuMs: cpuMs / LOAD.requests,
      });
    }
  }
  return { proxy: medians(results.proxy), gateway: medians(results.gateway) };
}

/** One request at a time with a large body, and what its parts cost: receiving it, decoding and parsing it, re-serialising it. */
async function measureLarge({ proxy, gateway }, many) {
  const known = deferred(many);
  const steps = {
    receive: { server: proxy, path: '/receive', body: (turn) => makeBody(known, { text: `Hello ${turn}` }) },
    parse: { server: proxy, path: '/parse', body: (turn) => makeBody(known, { text: `Hello ${turn}` }) },
    proxy: { server: proxy, body: (turn) => makeBody(known, { text: `Hello ${turn}` }) },
    known: { server: gateway, body: (turn) => makeBody(known, { text: `Hello ${turn}` }), isKnown: true },
    unknown: { server: gateway, body: (turn) => makeBody(deferred(renamed(many, turn))) },
    searched: {
      server: gateway,
      body: (turn) => makeBody(deferred(renamed(many, `s${turn}`)), { model: 'claude-searching' }),
    },
  };
  const results = Object.fromEntries(Object.keys(steps).map((name) => [name, []]));
  for (let round = -LARGE.warm; round < LARGE.rounds; round += 1) {
    say(`10,000 tools, round ${round + LARGE.warm + 1} of ${LARGE.rounds + LARGE.warm} …`);
    for (const [name, { server, path, body, isKnown = false }] of inTurn(steps, round)) {
      const bytes = body(round + LARGE.warm);
      // The others in between may have taken its place in the cache.
      if (isKnown) await ask(server, makeBody(known), { isAlone: true });
      await pause(LARGE.pauseMs);
      const before = (await server.figures()).cpuMs;
      const { ms } = await ask(server, bytes, { path, isAlone: true });
      const cpuMs = (await server.figures()).cpuMs - before;
      if (round >= 0) results[name].push({ ms, cpuMs });
    }
  }
  const bytes = makeBody(known).length;
  return { bytes, ...Object.fromEntries(Object.entries(results).map(([name, list]) => [name, medians(list)])) };
}

/** A request that names a catalog against one that brings its few tools along. */
async function measureNamed({ gateway }, few) {
  say('named catalog …');
  const catalog = renamed(makeDefinitions(CATALOG), 'catalog');
  await ask(gateway, Buffer.from(JSON.stringify({ tools: catalog })), {
    path: '/v1/catalogs/large',
    method: 'PUT',
    isAlone: true,
  });
  const contestants = { inline: [makeBody(deferred(few))], named: [makeBody(namedCatalog('large'))] };
  const results = { inline: [], named: [] };
  for (let round = -NAMED.warm; round < NAMED.rounds; round += 1) {
    for (const [name, bodies] of inTurn(contestants, round)) {
      const before = (await gateway.figures()).cpuMs;
      const { times, ms } = await load(gateway, bodies, NAMED);
      const cpuMs = (await gateway.figures()).cpuMs - before;
      if (round >= 0)
        results[name].push({ cpuMs: cpuMs / NAMED.requests, ms: ms / NAMED.requests, p50: median(times) });
    }
  }
  return { inline: medians(results.inline), named: medians(results.named) };
}

async function measureFirstByte({ upstream, gateway }, few) {
  say('first byte …');
  const contestants = { direct: upstream, gateway };
  const body = makeBody(deferred(few), { stream: true });
  const results = { direct: [], gateway: [] };
  for (let round = -FIRST_BYTE.warm; round < FIRST_BYTE.rounds; round += 1) {
    for (const [name, server] of inTurn(contestants, round)) {
      const { firstMs } = await ask(server, body);
      if (round >= 0) results[name].push(firstMs);
    }
  }
  const summary = (times) => ({ p50: median(times), p99: percentile(times, 0.99) });
  return { direct: summary(results.direct), gateway: summary(results.gateway) };
}

/** Every stream must come to its end, and every large body be answered, while all of them are open. */
async function measureStreams({ gateway }, { few, many }) {
  say(`${STREAMS.count} streams …`);
  const body = makeBody(deferred(few), { model: 'claude-slow', stream: true });
  const errors = [];
  let ended = 0;
  const streams = Array.from({ length: STREAMS.count }, async () => {
    try {
      const { text } = await ask(gateway, body);
      if (!text.includes('"type":"message_stop"')) throw new Error('a stream ended too early');
    } catch (error) {
      errors.push(error.message);
    }
    ended += 1;
  });
  await pause(STREAMS.headStartMs);
  let answered = 0;
  for (let turn = 0; turn < STREAMS.large; turn += 1) {
    const tools = turn % 2 === 0 ? renamed(many, `streams${turn}`) : many;
    try {
      await ask(gateway, makeBody(deferred(tools)), { isAlone: true });
      if (ended === 0) answered += 1;
    } catch (error) {
      errors.push(error.message);
    }
  }
  await Promise.all(streams);
  for (const message of new Set(errors)) say(message);
  return { errors: errors.length, answered };
}

/** The targets, each with what was measured for it. */
const ROWS = {
  load: ({ proxy, gateway }) => [
    {
      what: `Requests per second, ${FEW} tools`,
      how: `${LOAD.concurrency} connections, gateway / proxy`,
      values: `${whole(gateway.perSecond)} / ${whole(proxy.perSecond)} per s`,
      wall: gateway.perSecond / proxy.perSecond,
      cpu: proxy.cpuMs / gateway.cpuMs,
      target: '≥ 0.7',
      isMet: gateway.perSecond / proxy.perSecond >= 0.7,
      bars: [
        { label: 'proxy', value: proxy.cpuMs },
        { label: 'quartermaster', value: gateway.cpuMs },
      ],
      title: `CPU per request with ${FEW} tools, ms`,
    },
    {
      what: `p99, ${FEW} tools`,
      how: 'of the same requests, gateway / proxy',
      values: `${gateway.p99.toFixed(1)} / ${proxy.p99.toFixed(1)} ms`,
      wall: gateway.p99 / proxy.p99,
      target: '≤ 1.5',
      isMet: gateway.p99 / proxy.p99 <= 1.5,
      bars: [
        { label: 'proxy', value: proxy.p99 },
        { label: 'quartermaster', value: gateway.p99 },
      ],
      title: `p99 with ${FEW} tools, ms`,
    },
  ],
  large(large) {
    const decode = { ms: large.parse.ms - large.receive.ms, cpuMs: large.parse.cpuMs - large.receive.cpuMs };
    const onTop = (step, key) => (large[step][key] - large.receive[key]) / decode[key];
    return [
      {
        what: '10,000 tools in the body, known',
        how: '(gateway − receiving) / (decoding and parsing)',
        values: `(${whole(large.known.ms)} − ${whole(large.receive.ms)}) / ${whole(decode.ms)} ms`,
        wall: onTop('known', 'ms'),
        cpu: onTop('known', 'cpuMs'),
        target: '≤ 0.10',
        isMet: onTop('known', 'ms') <= 0.1,
        bars: [
          { label: 'receiving', value: large.receive.ms },
          { label: 'and parsing', value: large.parse.ms },
          { label: 'bare proxy', value: large.proxy.ms },
          { label: 'known', value: large.known.ms },
          { label: 'unknown', value: large.unknown.ms },
        ],
        title: '10,000 tools in the body, ms for a request',
      },
      {
        what: '10,000 tools in the body, unknown',
        how: '(gateway − receiving) / (decoding and parsing)',
        values: `(${whole(large.unknown.ms)} − ${whole(large.receive.ms)}) / ${whole(decode.ms)} ms`,
        wall: onTop('unknown', 'ms'),
        cpu: onTop('unknown', 'cpuMs'),
        target: '≤ 3',
        isMet: onTop('unknown', 'ms') <= 3,
      },
    ];
  },
  named: (named) => [
    {
      what: `Named catalog of 10,000 tools`,
      how: `against ${FEW} inline tools, both through the gateway`,
      values: `${named.named.cpuMs.toFixed(2)} / ${named.inline.cpuMs.toFixed(2)} ms CPU`,
      wall: named.named.ms / named.inline.ms,
      cpu: named.named.cpuMs / named.inline.cpuMs,
      target: '≤ 1',
      isMet: named.named.cpuMs <= named.inline.cpuMs,
      bars: [
        { label: `${FEW} inline`, value: named.inline.cpuMs },
        { label: '10,000 named', value: named.named.cpuMs },
      ],
      title: 'A named catalog: CPU per request, ms',
    },
  ],
  events: (events) => eventRows(events, FEW),
  'first-byte'({ direct, gateway }) {
    const more = gateway.p50 - direct.p50;
    return [
      {
        what: 'First streamed byte',
        how: 'gateway − direct, p50',
        values: `${gateway.p50.toFixed(2)} − ${direct.p50.toFixed(2)} = ${more.toFixed(2)} ms`,
        target: '≤ 5 ms',
        isMet: more <= 5,
        bars: [
          { label: 'direct', value: direct.p50 },
          { label: 'quartermaster', value: gateway.p50 },
        ],
        title: 'First streamed byte, p50, ms',
      },
    ];
  },
  streams: (streams) => [
    {
      what: `${STREAMS.count} streams while 10,000-tool bodies arrive`,
      how: `errors; ${streams.answered} of ${STREAMS.large} bodies were answered before any stream had ended`,
      values: `${streams.errors} errors`,
      target: '0',
      isMet: streams.errors === 0,
    },
  ],
};

/** @param {{ events?: any, 'first-byte'?: any, large?: any }} measured */
function render(rows, measured) {
  const { large, events, 'first-byte': firstByte } = measured;
  const bytes = large === undefined ? '' : `; the body with 10,000 is ${(large.bytes / 1e6).toFixed(1)} MB`;
  return [
    '# The gateway',
    '',
    `Four processes on one machine: a scripted upstream, a bare Node proxy that parses and re-serialises what goes through it, the gateway with its defaults, and the client. Contestants take turns within each round; every figure is the median of its rounds. Tools are synthetic, about 1.8 kB each${bytes}. *Receiving* and *decoding and parsing* are measured on the bare proxy: reading the body to its end and sending a few bytes upstream; the same with \`JSON.parse\` of the decoded text, less receiving. CPU is that of all threads of the server's process; for requests per second its ratio is inverted, so that more is better there too.`,
    '',
    '| what | measured as | figures | ratio, wall clock | ratio, CPU | target | result |',
    '|---|---|---:|---:|---:|---|---|',
    ...rows.map(
      ({ what, how, values, wall, wallRange, cpu, cpuRange, target, isMet }) =>
        `| ${what} | ${how} | ${values} | ${ratio(wall, wallRange)} | ${ratio(cpu, cpuRange)} | ${target} | ${isMet ? 'met' : 'missed'} |`,
    ),
    '',
    [largeSentence(large), events === undefined ? '' : EVENTS_SENTENCE, firstByteSentence(firstByte)].join(' ').trim(),
  ].join('\n');
}

function largeSentence(large) {
  if (large === undefined) return '';
  const { parse, receive, proxy, searched } = large;
  const times = ((searched.ms - receive.ms) / (parse.ms - receive.ms)).toFixed(1);
  return `The whole bare proxy takes ${whole(proxy.ms)} ms for the body of 10,000 tools. An unknown body whose model searches, so that the index is built while it waits, takes ${whole(searched.ms)} ms: ${times} × decoding and parsing.`;
}

function firstByteSentence(firstByte) {
  if (firstByte === undefined) return '';
  const { gateway, direct } = firstByte;
  return `First streamed byte, p99: ${gateway.p99.toFixed(1)} ms, direct ${direct.p99.toFixed(1)} ms.`;
}

function drawPicture(rows) {
  return drawBars(rows.filter((row) => row.bars !== undefined).map(({ title, bars }) => ({ title, bars })));
}

/** Lets a server finish what it does after an answer: collecting garbage, above all. */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function medians(list) {
  return Object.fromEntries(Object.keys(list[0]).map((key) => [key, median(list.map((one) => one[key]))]));
}

/** With two digits; with three and its interval where that is known. */
function ratio(value, range) {
  if (value === undefined) return '';
  if (range === undefined) return value.toFixed(2);
  return `${value.toFixed(3)} (${range.map((bound) => bound.toFixed(3)).join('–')})`;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function whole(value) {
  return Math.round(value).toLocaleString('en-US');
}
