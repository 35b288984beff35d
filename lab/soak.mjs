// A gateway under mixed work for twenty minutes: lists that no client has sent before, known ones, searches, catalogs that change, streams
// that their clients break off, batches, garbage. Fails where memory, open handles or the wait of another client grow.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { deferred, makeBody, makeDefinitions, namedCatalog, renamed } from '../bench/gateway/bodies.mjs';
import { drawLines } from './charts/draw-lines.mjs';
import { startBareGateway, startPing, startUpstream } from './processes/start-process.mjs';

const MEBIBYTE = 1024 * 1024;
const BUDGET = 256 * MEBIBYTE;
/** What the process may take beside its caches: the runtime with its worker, the embedded model, requests under way. */
const BASE = 160 * MEBIBYTE;
/** How far above the budget the caches may be: the runtime frees what was let go when it gets to it. */
const SLACK = 1.5;
/** Handles come and go with the requests under way; so many more at the end than after the start are a leak. */
const MOST_HANDLES = 25;
/** How long another client may wait, beside what it waits for a bare server on the same machine at the same time. */
const MOST_MS = 50;
/** The share of samples in which it may be longer: a shared machine does other things too. */
const MOST_LATE = 0.05;
const SAMPLE_MS = 10_000;
const CLIENTS = 3;

/** `npm run lab -- soak [minutes] [file to draw into]` */
export async function run([minutes = 20, picture]) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-soak-'));
  const upstream = await startUpstream();
  const settings = { cacheBytes: BUDGET };
  const gateway = await startBareGateway(upstream.port, { settings, storePath: join(folder, 'store.db') });
  const ping = await startPing(gateway.port);
  const control = await startPing(upstream.port);
  const counts = new Map();
  const samples = [];
  const started = performance.now();
  const endAt = started + Number(minutes) * 60_000;
  try {
    const clients = Array.from({ length: CLIENTS }, (_, client) => work(gateway.port, { client, endAt, counts }));
    while (performance.now() < endAt) {
      await pause(Math.min(SAMPLE_MS, Math.max(100, endAt - performance.now())));
      const [{ rss, handles }, { p99Ms }, bare] = await Promise.all([
        ...[gateway.figures(), ping.figures(), control.figures()],
      ]);
      const minute = (performance.now() - started) / 60_000;
      samples.push({ minute, rss, handles, p99Ms, bareMs: bare.p99Ms });
      process.stderr.write(
        `${show(rss)}, ${handles} handles, p99 ${p99Ms.toFixed(0)} ms, of a bare server ${bare.p99Ms.toFixed(0)} ms\n`,
      );
    }
    await Promise.all(clients);
    if (picture !== undefined) writeFileSync(picture, draw(samples));
    return judge(samples, { counts, minutes });
  } finally {
    ping.stop();
    control.stop();
    gateway.stop();
    upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(samples, { counts, minutes }) {
  const peak = Math.max(...samples.map(({ rss }) => rss));
  const allowed = BUDGET * SLACK + BASE;
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const [first, last] = [samples.slice(tenth, 2 * tenth), samples.slice(-tenth)].map((some) =>
    middle(some.map(({ handles }) => handles)),
  );
  const late = samples.filter(({ p99Ms, bareMs }) => p99Ms > MOST_MS + bareMs).length / samples.length;
  const [p99, bare] = [middle(samples.map(({ p99Ms }) => p99Ms)), middle(samples.map(({ bareMs }) => bareMs))];
  console.log(
    `${minutes} minutes: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}\n` +
      `RSS at most ${show(peak)}, of ${show(allowed)} allowed (${SLACK} × ${show(BUDGET)} + ${show(BASE)}); handles ${first} after the start, ${last} at the end; ` +
      `another client waited ${p99.toFixed(0)} ms (median of p99 in ${SAMPLE_MS / 1000} s; ${bare.toFixed(0)} ms for a bare server meanwhile), over ${MOST_MS} ms more in ${(100 * late).toFixed(1)}% of the samples`,
  );
  return [
    ...(peak > allowed ? [`RSS reached ${show(peak)}`] : []),
    ...(last > first + MOST_HANDLES ? [`handles went from ${first} to ${last}`] : []),
    ...(late > MOST_LATE ? [`another client waited long in ${(100 * late).toFixed(1)}% of the samples`] : []),
    ...(counts.has('unexpected answers') ? [`${counts.get('unexpected answers')} unexpected answers`] : []),
  ];
}

/** One client after another kind of request, until the time is over. */
async function work(port, { client, endAt, counts }) {
  const definitions = makeDefinitions(2_000);
  const count = (what) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const send = async (path, body, { method = 'POST', signal = undefined, statuses = [200, 201] } = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body, signal });
    const text = await response.text();
    if (!statuses.includes(response.status)) {
      count('unexpected answers');
      process.stderr.write(`${method} ${path}: ${response.status} ${text.slice(0, 300)}\n`);
    }
    return text;
  };
  const some = (number, most) => {
    const start = (number * 37) % 1_500;
    return definitions.slice(start, start + 1 + ((number * 13) % most));
  };
  const kinds = {
    'new lists': (number) =>
      send('/v1/messages', makeBody(deferred(renamed(some(number, 60), `${client}_${number}`)), SEARCHING)),
    'known lists': () => send('/v1/messages', makeBody(deferred(definitions.slice(0, 200)), SEARCHING)),
    streams: () => send('/v1/messages', makeBody(deferred(definitions.slice(0, 20)), { stream: true })),
    'streams broken off': async () => {
      const stop = new AbortController();
      const slow = send('/v1/messages', makeBody(undefined, { model: 'claude-slow', stream: true }), {
        signal: stop.signal,
      });
      await pause(200);
      stop.abort();
      await slow.catch(() => undefined);
    },
    'catalogs changed': async (number) => {
      const name = `soak-${client}-${number % 7}`;
      await send(`/v1/catalogs/${name}`, JSON.stringify(renamed(some(number, 300), `${number}`)), { method: 'PUT' });
      await send(`/v1/catalogs/${name}/search`, JSON.stringify({ query: 'list open invoices' }));
      await send('/v1/messages', makeBody(namedCatalog(name), SEARCHING));
    },
    searches: (number) =>
      send('/v1/search', JSON.stringify({ query: 'create a report', tools: renamed(some(number, 40), `${number}`) })),
    batches: async () => {
      const params = JSON.parse(makeBody(undefined).toString());
      const requests = [1, 2].map((item) => ({ custom_id: `item-${item}`, params }));
      await send('/v1/messages/batches', JSON.stringify({ requests }));
    },
    'garbage bodies': () => send('/v1/messages', '{"model":'.repeat(1_000), { statuses: [400] }),
    'long queries': () =>
      send('/v1/search', JSON.stringify({ query: 'x '.repeat(4_000), tools: definitions.slice(0, 5) }), {
        statuses: [400],
      }),
  };
  for (let number = 0; performance.now() < endAt; number += 1) {
    for (const [what, act] of Object.entries(kinds)) {
      await act(number);
      count(what);
    }
    await pause(20);
  }
}

const SEARCHING = { model: 'claude-searching' };

function draw(samples) {
  const line = (label, of) => ({ label, points: samples.map((sample) => [sample.minute, of(sample)]) });
  return drawLines([
    {
      title: 'Memory of the gateway (RSS), MiB',
      limit: { label: 'allowed', value: (BUDGET * SLACK + BASE) / MEBIBYTE },
      lines: [line('RSS', ({ rss }) => rss / MEBIBYTE)],
    },
    { title: 'Open handles', lines: [line('handles', ({ handles }) => handles)] },
    {
      title: 'How much longer another client waits than for a bare server, ms (p99 of each ten seconds)',
      limit: { label: 'allowed', value: MOST_MS },
      lines: [line('p99', ({ p99Ms, bareMs }) => Math.max(0, p99Ms - bareMs))],
    },
  ]);
}

function middle(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function show(bytes) {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
