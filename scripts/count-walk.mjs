// Counts the source files that one `/v1/messages` request walks through, from the socket to the last byte: a streamed request with
// 50 deferred tools whose model searches once. A file counts when one of its functions runs during that request; what runs only at
// start-up, the request's own warm-up, and what is counted after its answer, do not. Needs a build; `node scripts/count-walk.mjs`.
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { configuredUpstreams, createGateway, serve } from '@quartermaster/gateway';
import { openStore } from '@quartermaster/host/store';
import { listen } from './listen.mjs';

const upstream = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const isSearched = body.includes('"tool_result"');
  const block = isSearched
    ? { type: 'text', text: 'Done.' }
    : { type: 'tool_use', id: 'toolu_1', name: 'tool_search_tool_bm25', input: { query: 'list invoices' } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null, usage: USAGE } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isSearched ? 'end_turn' : 'tool_use' }, usage: USAGE },
    { type: 'message_stop' },
  ])
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
});
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', stop_sequence: null };
const USAGE = { input_tokens: 10, output_tokens: 5 };

const baseUrl = `http://127.0.0.1:${await listen(upstream)}`;
const gateway = createGateway({
  upstreams: configuredUpstreams([
    { models: ['*'], provider: 'anthropic', baseUrl, apiKey: 'none', toolSearch: 'local' },
  ]),
  store: await openStore({ path: ':memory:' }),
  // What is counted after the answer waits until the walk is over, however long the walk takes.
  clock: {
    now: Date.now,
    after(delayMs, run) {
      const timer = setTimeout(() => !isWalking && run(), delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  },
});
let isWalking = false;
const server = await serve({ gateway, port: 0, hasKeys: false });

const tools = Array.from({ length: 50 }, (_, index) => ({
  name: `list_${['invoices', 'orders', 'mails', 'files', 'users'][index % 5]}_${index}`,
  description: `Lists the records of kind ${index}.`,
  input_schema: { type: 'object', properties: { limit: { type: 'number', description: 'How many' } } },
  defer_loading: true,
}));
const body = JSON.stringify({
  ...{ model: 'claude', max_tokens: 100, stream: true },
  tools: [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }, ...tools],
  messages: [{ role: 'user', content: 'Which invoices are open?' }],
});
async function ask() {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body,
  });
  const text = await response.text();
  if (!text.includes('tool_search_tool_result')) throw new Error(`The request was not searched: ${text.slice(0, 300)}`);
}

await ask();
await ask();
// Until the events of these requests are counted.
await new Promise((resolve) => setTimeout(resolve, 1_000));
// Once a second, one request looks whether a first key was created: this one.
await ask();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
isWalking = true;
await session.post('Profiler.takePreciseCoverage');
await ask();
const { result } = await session.post('Profiler.takePreciseCoverage');
const files = result
  .filter(({ url }) => /\/packages\/[^/]+\/dist\//.test(url))
  .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0))
  .map(({ url }) =>
    url
      .replace(/^.*\/packages\//, '')
      .replace('/dist/', '/src/')
      .replace(/\.js$/, '.ts'),
  )
  .sort();
for (const file of files) process.stdout.write(`${file}\n`);
const isSearch = (file) => /^(?:core\/src\/search|semantic)\//.test(file);
process.stdout.write(`${files.length} files, ${files.filter(isSearch).length} of them search\n`);
await server.close();
upstream.close();
