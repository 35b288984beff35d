// Two gateways on one PostgreSQL that is broken in every way while they work. No gateway may end, no answer may be a 500, all must be
// back within seconds, and no batch item may be lost or doubled.
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { drawBars } from '../bench/draw-bars.mjs';
import { ASK, batchOf, wrongBatches } from './processes/batches.mjs';
import { startPostgres } from './processes/postgres.mjs';
import { startGateway } from './processes/serve.mjs';
import { startUpstream } from './processes/start-process.mjs';

/** What a request may take: 3 s to connect, 10 s for a statement, and time for two busy cores. */
const MOST_MS = 20_000;
/** How soon everything has to work again. */
const BACK_MS = 15_000;
/** A disk that was full is reported for half a minute at least. */
const FULL_MS = 35_000;
const WORKERS = 3;
const TOOLS = [{ name: 'get_weather', description: 'Gets the weather', input_schema: { type: 'object' } }];
const ITEMS = 3;
/** How long the last batches may take. */
const END_MS = 120_000;

/** `npm run lab -- database [seconds of each fault] [file to draw into]`; `short` for a few seconds in all. */
export async function run([seconds = '15', picture]) {
  const isShort = seconds === 'short';
  const holdMs = isShort ? 1_500 : Number(seconds) * 1000;
  const upstream = await startUpstream();
  const postgres = await startPostgres();
  const gateways = await Promise.all(
    [1, 2].map(() => startGateway({ store: postgres.wiredUrl, upstreamPort: upstream.port })),
  );
  const batches = [];
  const problems = [];
  const rows = [];
  try {
    for (const [name, fault] of faults(postgres, holdMs, isShort)) {
      const counts = new Map();
      const load = startLoad(gateways, { counts, batches });
      await pause(isShort ? 300 : 1_000);
      await fault();
      const backMs = await untilReady(gateways);
      await pause(isShort ? 300 : 1_000);
      const slowestMs = await load.stop();
      const shown = [...counts].sort().map(([status, count]) => `${count} × ${status}`);
      console.log(
        `${name.padEnd(28)} ${shown.join(', ')}; slowest ${Math.round(slowestMs)} ms; ready again after ${Math.round(backMs)} ms`,
      );
      rows.push({ name, slowestMs, backMs });
      if (counts.has('500')) problems.push(`${name}: ${counts.get('500')} × 500`);
      if (counts.has('lost')) problems.push(`${name}: ${counts.get('lost')} connections lost`);
      if (counts.has('livez')) problems.push(`${name}: /livez failed`);
      if (slowestMs > MOST_MS) problems.push(`${name}: a request took ${Math.round(slowestMs)} ms`);
      if (backMs > (name === 'disk full' ? FULL_MS : BACK_MS))
        problems.push(`${name}: ready again only after ${Math.round(backMs)} ms`);
    }
    const wrong = await wrongBatches(gateways[0], batches, { items: ITEMS, endMs: END_MS });
    console.log(
      `${batches.length} batches of ${ITEMS} items, ${batches.length - wrong.length} with one result for each item`,
    );
    problems.push(...wrong);
    for (const { exited, faults: unhandled } of gateways) {
      if (exited !== undefined) problems.push(`a gateway ended with ${exited}`);
      if (unhandled.length > 0) problems.push(`${unhandled.length} errors reached the last resort: ${unhandled[0]}`);
    }
    if (picture !== undefined) writeFileSync(picture, draw(rows));
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await postgres.stop();
    upstream.stop();
  }
  return problems;
}

/** @returns {[string, () => Promise<unknown>][]} */
function faults(postgres, holdMs, isShort) {
  /** @type {[string, () => Promise<unknown>][]} */
  const all = [
    ['nothing', () => pause(Math.min(holdMs, 2_000))],
    [
      'connections terminated',
      async () => {
        for (let round = 0; round < (isShort ? 5 : 40); round += 1) {
          await postgres.terminate();
          await pause(100);
        }
      },
    ],
    [
      'server frozen',
      async () => {
        await postgres.freeze();
        await pause(holdMs);
        postgres.thaw();
      },
    ],
    [
      'server restarted',
      async () => {
        await postgres.halt();
        await postgres.resume();
      },
    ],
    [
      'server away',
      async () => {
        await postgres.halt();
        await pause(holdMs);
        await postgres.resume();
      },
    ],
    [
      'server killed',
      async () => {
        await postgres.crash();
        await pause(holdMs / 4);
        await postgres.resume();
      },
    ],
    [
      'slow, half a second a packet',
      async () => {
        postgres.setDelay(500);
        await pause(holdMs / 2);
        postgres.setDelay(0);
      },
    ],
    [
      'disk full',
      async () => {
        await postgres.setFull(true);
        await pause(holdMs / 4);
        await postgres.setFull(false);
      },
    ],
    ['failed over to another server', () => postgres.failOver()],
    [
      'read-only, as a standby',
      async () => {
        await postgres.setReadOnly(true);
        await pause(holdMs / 2);
        await postgres.setReadOnly(false);
      },
    ],
  ];
  return isShort
    ? all.filter(([name]) => ['connections terminated', 'server frozen', 'server restarted'].includes(name))
    : all;
}

/** Requests that need the store, and requests that do not, until they are told to stop. Gives how long the slowest took. */
function startLoad(gateways, { counts, batches }) {
  let isOver = false;
  let slowestMs = 0;
  const count = (what) => counts.set(what, (counts.get(what) ?? 0) + 1);

  async function ask(gateway, [method, path, body = undefined], onAnswer = (_text) => undefined) {
    const started = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await response.text();
      count(path === '/livez' && !response.ok ? 'livez' : String(response.status));
      if (response.ok) onAnswer(text);
    } catch {
      count('lost');
    }
    slowestMs = Math.max(slowestMs, performance.now() - started);
  }

  async function work(gateway, worker) {
    for (let round = 0; !isOver; round += 1) {
      await ask(gateway, ['GET', '/livez']);
      await ask(gateway, ['POST', '/v1/messages', ASK]);
      await ask(gateway, [
        'PUT',
        `/v1/catalogs/lab-${worker}-${round % 5}`,
        [{ ...TOOLS[0], description: `${round}` }],
      ]);
      await ask(gateway, ['GET', '/v1/catalogs']);
      if (round % 4 === 0) {
        await ask(gateway, ['POST', '/v1/messages/batches', batchOf(ITEMS)], (text) =>
          batches.push(JSON.parse(text).id),
        );
      }
      await pause(20);
    }
  }

  const workers = gateways.flatMap((gateway) => Array.from({ length: WORKERS }, (_, worker) => work(gateway, worker)));
  return {
    async stop() {
      isOver = true;
      await Promise.all(workers);
      return slowestMs;
    },
  };
}

/** Milliseconds until all are ready. */
async function untilReady(gateways) {
  const started = performance.now();
  for (const { port } of gateways) {
    for (;;) {
      const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady || performance.now() - started > 3 * BACK_MS) break;
      await pause(50);
    }
  }
  return performance.now() - started;
}

/** The first row is without a fault: there is nothing to get ready after. */
function draw(rows) {
  const bars = (of) => rows.map((row) => ({ label: row.name, value: Math.max(1, of(row)) }));
  return drawBars(
    [
      { title: 'The slowest answer while the database has this fault, ms', bars: bars(({ slowestMs }) => slowestMs) },
      { title: 'How long after the fault the gateways are ready, ms', bars: bars(({ backMs }) => backMs).slice(1) },
    ],
    { labelWidth: 220 },
  );
}
