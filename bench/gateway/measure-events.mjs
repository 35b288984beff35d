// What events and stored insight cost a request. Two processes that do the same work differ by several per cent, which is more than is
// looked for. So every contestant is started many times; each start gives one ratio, of contestants that took turns in the same minute,
// and the interval of all ratios is printed with their mean.

import { startBareGateway } from '../../lab/processes/start-process.mjs';
import { inTurn, meanOfRatios } from '../statistics.mjs';
import { deferred, makeBody } from './bodies.mjs';
import { load } from './client.mjs';

/** Warm rounds don't count: the code of a path is compiled while they run. */
const LOAD = { rounds: 8, warm: 8, requests: 300, concurrency: 8 };
const STORED = { retentionDays: 90, maxBytes: 256 * 1024 * 1024, wire: false };

/** Each with what it is compared with, what has to be left of its requests per second, and how often both are started. */
const CONTESTANTS = {
  told: { what: 'Events', settings: {}, against: 'silent', least: 0.97, starts: 24 },
  counts: {
    ...{ what: 'Insight: counts', settings: { insight: { keep: 'counts', ...STORED } } },
    ...{ against: 'told', least: 0.92, starts: 8 },
  },
  queries: {
    ...{ what: 'Insight: queries', settings: { insight: { keep: 'queries', ...STORED } } },
    ...{ against: 'told', least: 0.92, starts: 8 },
  },
};
const SETTINGS = { silent: { events: false }, ...settingsOf(CONTESTANTS) };

/** The same requests for all: a third has its tools inline, a third defers them, a third searches as well. */
export async function measureEvents(upstream, few, say) {
  const bodies = [makeBody(few), makeBody(deferred(few)), makeBody(deferred(few), { model: 'claude-searching' })];
  const results = [];
  const most = Math.max(...Object.values(CONTESTANTS).map(({ starts }) => starts));
  for (let start = 0; start < most; start += 1) {
    say(`events and insight, start ${start + 1} of ${most} …`);
    const names = ['silent', ...Object.keys(CONTESTANTS).filter((name) => start < CONTESTANTS[name].starts)];
    // Another one is first each time.
    const order = [...names.slice(start % names.length), ...names.slice(0, start % names.length)];
    results.push(await measureStart(order, upstream, bodies));
  }
  return results;
}

async function measureStart(names, upstream, bodies) {
  const servers = {};
  const used = Object.fromEntries(names.map((name) => [name, { cpuMs: 0, ms: 0 }]));
  try {
    for (const name of names) {
      servers[name] = await startBareGateway(upstream.port, { settings: SETTINGS[name] });
    }
    for (let round = -LOAD.warm; round < LOAD.rounds; round += 1) {
      for (const [name, server] of inTurn(servers, round)) {
        const before = (await server.figures()).cpuMs;
        const { ms } = await load(server, bodies, LOAD);
        const cpuMs = (await server.figures()).cpuMs - before;
        if (round < 0) continue;
        used[name].cpuMs += cpuMs;
        used[name].ms += ms;
      }
    }
  } finally {
    for (const server of Object.values(servers)) server.stop();
  }
  // The sums of all rounds: a median would leave out the rounds in which garbage is collected.
  return used;
}

/** @param results what all contestants used, one entry for each start */
export function eventRows(results, tools) {
  return Object.entries(CONTESTANTS).map(([name, { what, against, least }]) => {
    const pairs = results.filter((used) => used[name] !== undefined).map((used) => [used[against], used[name]]);
    const wall = meanOfRatios(pairs.map(([off, on]) => off.ms / on.ms));
    const cpu = meanOfRatios(pairs.map(([off, on]) => off.cpuMs / on.cpuMs));
    return {
      what: `${what}, ${tools} tools`,
      how: `requests per second with it / without, ${pairs.length} starts`,
      values: `${perSecond(pairs.map(([, on]) => on))} / ${perSecond(pairs.map(([off]) => off))} per s`,
      ...{ wall: wall.mean, wallRange: wall.range, cpu: cpu.mean, cpuRange: cpu.range },
      ...{ target: `≥ ${least}`, isMet: wall.mean >= least },
    };
  });
}

export const EVENTS_SENTENCE = `Events and insight: each start of the processes gives one ratio of the sums over ${LOAD.rounds} rounds; the row has their geometric mean and, in parentheses, its 95% interval.`;

function perSecond(list) {
  const ms = list.reduce((sum, one) => sum + one.ms, 0);
  return Math.round((1_000 * LOAD.rounds * LOAD.requests * list.length) / ms).toLocaleString('en-US');
}

function settingsOf(contestants) {
  return Object.fromEntries(Object.entries(contestants).map(([name, { settings }]) => [name, settings]));
}
