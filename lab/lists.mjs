// Different lists of tools with every request, as a client sends them that writes a date or an id into a description: none is ever
// asked for again, and each leaves an index. Memory must stay within what `limits.indexCacheBytes` says.
import { writeFileSync } from 'node:fs';
import { makeBody, makeDefinitions } from '../bench/gateway/bodies.mjs';
import { ask } from '../bench/gateway/client.mjs';
import { drawLines } from './charts/draw-lines.mjs';
import { startBareGateway, startUpstream } from './processes/start-process.mjs';

const MEBIBYTE = 1024 * 1024;
const LISTS = 10_000;
const BUDGET = 256 * MEBIBYTE;
/** What the process may take beside the caches: the runtime with its worker, the embedded model, requests under way, free memory for bodies. */
const BASE = 160 * MEBIBYTE;
/** How far above the budget the caches may be: the runtime frees what was let go when it gets to it. */
const SLACK = 1.5;
const CONCURRENCY = 4;
const SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };

/** `npm run lab -- lists [lists] [most tools of one] [budget in MiB] [file to draw into]` */
export async function run([lists = LISTS, most = 60, budgetMebibytes = BUDGET / MEBIBYTE, picture]) {
  const budget = Number(budgetMebibytes) * MEBIBYTE;
  const allowed = budget * SLACK + BASE;
  const upstream = await startUpstream();
  const gateway = await startBareGateway(upstream.port, { settings: { cacheBytes: budget } });
  try {
    const definitions = makeDefinitions(600);
    let sent = 0;
    const samples = [];
    const started = performance.now();
    const work = async () => {
      while (sent < Number(lists)) {
        const number = sent++;
        await ask(gateway, bodyOf(definitions, number, Number(most)));
      }
    };
    const watch = setInterval(async () => {
      const { rss, heapUsed, arrayBuffers } = await gateway.figures();
      samples.push({ minute: (performance.now() - started) / 60_000, rss, heapUsed, arrayBuffers });
      process.stderr.write(`${sent} lists: RSS ${show(rss)}, heap ${show(heapUsed)}, buffers ${show(arrayBuffers)}\n`);
    }, 2_000);
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    clearInterval(watch);
    const { rss } = await gateway.figures();
    const peak = Math.max(rss, ...samples.map((sample) => sample.rss));
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(
      `${sent} lists of 1 to ${most} tools in ${seconds} s: RSS at most ${show(peak)}, of ${show(allowed)} allowed (${SLACK} × ${show(budget)} + ${show(BASE)})`,
    );
    if (picture !== undefined) writeFileSync(picture, draw(samples, allowed));
    return peak <= allowed ? [] : [`RSS reached ${show(peak)}, more than ${show(allowed)}`];
  } finally {
    gateway.stop();
    upstream.stop();
  }
}

function draw(samples, allowed) {
  const panel = (title, of) => ({ title, lines: [{ points: samples.map((one) => [one.minute, of(one) / MEBIBYTE]) }] });
  return drawLines([
    {
      ...panel('Memory of the gateway (RSS), MiB', ({ rss }) => rss),
      limit: { label: 'allowed', value: allowed / MEBIBYTE },
    },
    panel('JavaScript heap, MiB', ({ heapUsed }) => heapUsed),
    panel('Array buffers, MiB', ({ arrayBuffers }) => arrayBuffers),
  ]);
}

/** A list that no client has sent before. */
function bodyOf(definitions, number, most) {
  const size = 1 + ((number * 37) % most);
  const tools = Array.from({ length: size }, (_, at) => {
    const { description, ...rest } = definitions[(number + at) % definitions.length];
    return { ...rest, description: `${description} (as of request ${number})`, defer_loading: true };
  });
  return makeBody([SEARCH, ...tools], { model: 'claude-searching' });
}

function show(bytes) {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
