// What it is worth that the memory of large bodies is used again: CPU time of a gateway for requests with 10,000 known tools, as it
// is, and with ordinary memory. Needs a build; `node bench/measure-body-memory.mjs`.
import { fork } from 'node:child_process';
import { createServer, request } from 'node:http';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { listen } from '../scripts/listen.mjs';

const ANSWER = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'Hello.' }] },
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
};

/** A loader by which no body is large enough for memory that is used again. */
const ORDINARY_MEMORY = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/http/body-memory.js')) return loaded;
  return { ...loaded, source: String(loaded.source).replace(/const LEAST_BYTES = [^;]*;/, 'const LEAST_BYTES = Infinity;') };
}`;

const [role, memory] = process.argv.slice(2);
if (role === 'gateway') await runGateway();
else await compare();

async function compare() {
  for (const kind of ['reused', 'ordinary', 'reused', 'ordinary']) {
    const { bytes, cpuMs, rss } = await measure(kind);
    process.stdout.write(
      `${kind} memory: ${cpuMs.toFixed(1)} ms of CPU a request of ${(bytes / 1e6).toFixed(1)} MB, ${(rss / 1e6).toFixed(0)} MB resident\n`,
    );
  }
  process.exit(0);
}

async function measure(kind, requests = 60) {
  const child = fork(fileURLToPath(import.meta.url), ['gateway', kind]);
  const told = () => new Promise((resolve) => child.once('message', resolve));
  const { url } = await told();
  const body = Buffer.from(JSON.stringify(requestWith(10_000)));
  for (let warmUp = 0; warmUp < 6; warmUp += 1) await ask(url, body);
  child.send('measure');
  const before = await told();
  const half = async () => {
    for (let count = 0; count < requests / 2; count += 1) await ask(url, body);
  };
  await Promise.all([half(), half()]);
  child.send('measure');
  const after = await told();
  child.kill();
  return { bytes: body.length, cpuMs: (after.cpuMs - before.cpuMs) / requests, rss: after.rss };
}

async function runGateway() {
  if (memory === 'ordinary') register(`data:text/javascript,${encodeURIComponent(ORDINARY_MEMORY)}`);
  const { configuredUpstreams, createGateway, serve } = await import('@quartermaster/gateway');
  const upstream = createServer(async (incoming, response) => {
    for await (const _ of incoming);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(ANSWER));
  });
  const baseUrl = `http://127.0.0.1:${await listen(upstream)}`;
  /** @type {import('@quartermaster/host/config').UpstreamSettings} */
  const host = { models: ['*'], provider: 'anthropic', baseUrl, apiKey: 'none', toolSearch: 'local' };
  const gateway = createGateway({ upstreams: configuredUpstreams([host]) });
  const { url } = await serve({ gateway, port: 0, hasKeys: false });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMs: (user + system) / 1000, rss: process.memoryUsage().rss });
  });
  process.send({ url });
}

function ask(url, body) {
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/messages`, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve(undefined) : reject(new Error(`${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function requestWith(count) {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `list_records_${index}`,
    description: `Lists the records of kind ${index}, with filters, pages and what else there is to say. `.repeat(5),
    input_schema: { type: 'object', properties: { limit: { type: 'number', description: 'How many of them' } } },
    defer_loading: true,
  }));
  const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
  const messages = [{ role: 'user', content: 'Hello' }];
  return { model: 'claude', max_tokens: 100, tools: [search, ...tools], messages };
}
