// Two gateways work on batches and are killed (SIGKILL), one after the other, wherever they are. Every item has to have one result.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { drawLines } from './charts/draw-lines.mjs';
import { createBatch, wrongBatches } from './processes/batches.mjs';
import { startPostgres } from './processes/postgres.mjs';
import { startGateway } from './processes/serve.mjs';
import { startUpstream } from './processes/start-process.mjs';

const KILLS = 200;
const ITEMS = 12;
/** An item of a gateway that was killed while another one lived waits for its lease, a minute. */
const END_MS = 240_000;

/** `npm run lab -- kills [kills of each store] [sqlite | postgres | both] [file to draw into]` */
export async function run([kills = KILLS, only = 'both', picture]) {
  const stores = ['sqlite', 'postgres'].filter((name) => only === 'both' || only === name);
  if (stores.length === 0) return [`"${only}" is not a store: sqlite, postgres or both`];
  const problems = [];
  const panels = [];
  for (const name of stores) {
    const starts = [];
    problems.push(...(await killOn(name, Number(kills), starts)));
    const title = `${name}: milliseconds from a kill until the new process serves, ${kills} kills`;
    panels.push({ title, lines: [{ points: starts }] });
  }
  if (picture !== undefined) writeFileSync(picture, drawLines(panels));
  return problems;
}

async function killOn(name, kills, starts) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-lab-kills-'));
  const postgres = name === 'postgres' ? await startPostgres() : undefined;
  const upstream = await startUpstream();
  const store = postgres === undefined ? { path: join(folder, 'store.db') } : { url: postgres.url };
  const start = () => startGateway({ store, upstreamPort: upstream.port });
  const gateways = await Promise.all([start(), start()]);
  const batches = [];
  const started = performance.now();
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const victim = kill % 2;
      // The other one takes the batch, so that it is not the request that dies; both work on it.
      batches.push(await createBatch(gateways[1 - victim], ITEMS));
      await pause(Math.random() * 60);
      const killed = performance.now();
      await gateways[victim].kill();
      gateways[victim] = await start();
      starts.push([(killed - started) / 60_000, performance.now() - killed]);
      if ((kill + 1) % 20 === 0) process.stderr.write(`${name}: ${kill + 1} kills\n`);
    }
    const problems = await wrongBatches(gateways[0], batches, { items: ITEMS, endMs: END_MS });
    const seconds = Math.round((performance.now() - started) / 1000);
    const { length: failed } = problems;
    console.log(
      `${name}: ${kills} kills in ${seconds} s, ${batches.length} batches of ${ITEMS} items, ${failed} of them wrong`,
    );
    return problems.map((problem) => `${name}: ${problem}`);
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await postgres?.stop();
    upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
