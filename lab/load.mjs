// Everything at once: hundreds of streams, clients that read slowly or not at all, and bodies of 10,000 tools that no client has sent before.
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { deferred, makeBody, makeDefinitions, renamed } from '../bench/gateway/bodies.mjs';
import { ask } from '../bench/gateway/client.mjs';
import { drawLines } from './charts/draw-lines.mjs';
import { startBareGateway, startPing, startUpstream } from './processes/start-process.mjs';

const STREAMS = 500;
const SLOW_CLIENTS = 50;
const LARGE_BODIES = 6;
/** What the host of the model sends, one every half second. */
const WORDS = 20;
const MEBIBYTE = 1024 * 1024;
/** Room for all that is under way beside what the caches may hold: large bodies, and answers that no client reads. */
const MOST_RSS = 2048 * MEBIBYTE;
/** How long another client may wait, beside what the machine adds. */
const MOST_MS = 50;

/** `npm run lab -- load [streams] [file to draw into]` */
export async function run([streams = STREAMS, picture]) {
  const upstream = await startUpstream();
  const gateway = await startBareGateway(upstream.port);
  const ping = await startPing(gateway.port);
  const samples = [];
  let started = performance.now();
  let open = 0;
  const watch = setInterval(async () => {
    const { rss } = await gateway.figures();
    samples.push({ minute: (performance.now() - started) / 60_000, rss, open });
  }, 500);
  try {
    const definitions = makeDefinitions(10_000);
    const catalog = Buffer.from(JSON.stringify(definitions));
    await ask(gateway, catalog, { path: '/v1/catalogs/large', method: 'PUT' });
    await ping.figures();
    await pause(2_000);
    const quiet = (await ping.figures()).p99Ms;
    started = performance.now();
    samples.length = 0;
    const slow = Array.from({ length: SLOW_CLIENTS }, (_, client) => readSlowly(gateway.port, client));
    const large = sendLarge(gateway, definitions);
    const body = makeBody(deferred(definitions.slice(0, 50)), { model: 'claude-slow', stream: true });
    const stream = () => {
      open += 1;
      return ask(gateway, body).finally(() => {
        open -= 1;
      });
    };
    const answers = await Promise.allSettled(Array.from({ length: Number(streams) }, stream));
    const seconds = (performance.now() - started) / 1000;
    const whole = answers.filter((one) => one.status === 'fulfilled' && isWhole(one.value?.text)).length;
    const sent = await large;
    const { p99Ms, longestMs, pings } = await ping.figures();
    for (const stop of slow) stop();
    const after = await ask(gateway, makeBody(undefined));
    const peak = Math.max(...samples.map(({ rss }) => rss));
    if (picture !== undefined) writeFileSync(picture, draw(samples));
    console.log(
      `${whole} of ${streams} streams complete in ${seconds.toFixed(0)} s beside ${SLOW_CLIENTS} slow clients and ${sent} bodies of 10,000 tools; ` +
        `another client waited ${p99Ms.toFixed(0)} ms (p99 of ${pings}; longest ${longestMs.toFixed(0)} ms; quiet ${quiet.toFixed(0)} ms); RSS at most ${Math.round(peak / MEBIBYTE)} MiB`,
    );
    return [
      ...(whole < Number(streams)
        ? [`${Number(streams) - whole} streams were not complete: ${reasonOf(answers)}`]
        : []),
      ...(sent < LARGE_BODIES ? [`${LARGE_BODIES - sent} large bodies had no answer`] : []),
      ...(peak > MOST_RSS ? [`RSS reached ${Math.round(peak / MEBIBYTE)} MiB`] : []),
      ...(p99Ms > MOST_MS + quiet ? [`another client waited ${p99Ms.toFixed(0)} ms (p99)`] : []),
      ...(isHello(after.text) ? [] : ['no answer afterwards']),
    ];
  } finally {
    clearInterval(watch);
    ping.stop();
    gateway.stop();
    upstream.stop();
  }
}

function draw(samples) {
  const lineOf = (read) => [{ points: samples.map((sample) => [sample.minute, read(sample)]) }];
  const limit = { value: MOST_RSS / MEBIBYTE, label: 'allowed' };
  return drawLines([
    { title: 'Memory of the process (RSS), MiB', lines: lineOf(({ rss }) => rss / MEBIBYTE), limit },
    { title: 'Streams that are open', lines: lineOf(({ open }) => open) },
  ]);
}

function isWhole(text = '') {
  return text.includes('"type":"message_stop"') && text.split('"text_delta"').length === WORDS + 1;
}

function isHello(text) {
  return text.includes('Hello');
}

function reasonOf(answers) {
  return String(answers.find(({ status }) => status === 'rejected')?.reason ?? 'cut off');
}

/** One after the other: each takes a worker's time. */
async function sendLarge(gateway, definitions) {
  let sent = 0;
  for (let turn = 0; turn < LARGE_BODIES; turn += 1) {
    const body = makeBody(deferred(renamed(definitions, turn)), { model: 'claude-searching' });
    const { text } = await ask(gateway, body, { isAlone: true });
    sent += isHello(text) ? 1 : 0;
  }
  return sent;
}

/** Asks for a stream, or for a catalog of 16 MB, and reads a little of it now and then, or nothing. Gives what ends it. */
function readSlowly(port, client) {
  const socket = connect({ host: '127.0.0.1', port });
  const body = makeBody(undefined, { model: 'claude-slow', stream: true });
  socket.on('error', () => undefined);
  socket.write(
    client % 2 === 0
      ? 'GET /v1/catalogs/large HTTP/1.1\r\nhost: localhost\r\n\r\n'
      : `POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  socket.pause();
  const reader = setInterval(() => (client % 4 < 2 ? socket.read(1_024) : undefined), 250);
  return () => {
    clearInterval(reader);
    socket.destroy();
  };
}
