// Hosts of models and MCP servers that do everything wrong, behind one `quartermaster serve`. Each request has to be answered in time, none
// with a 500, and the gateway has to serve a plain request right after.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { drawBars } from '../bench/draw-bars.mjs';
import { listen } from '../scripts/listen.mjs';
import { startGateway } from './processes/serve.mjs';
import { startUpstream } from './processes/start-process.mjs';

const ODD_SERVER = fileURLToPath(new URL('../packages/mcp/src/testing/odd-server.fixture.mjs', import.meta.url));
/** Of `odd-server.fixture.mjs`. */
const SERVER_MODES = [
  ...['plain', 'silent', 'noisy', 'list-error', 'endless', 'no-list', 'all-bad', 'repeating', 'bad-tools', 'crashing'],
  ...['dying', 'stubborn', 'changing', 'waiting', 'endless-prompts'],
];
const TIMEOUT_MS = 2_000;
/** Two rounds of timeouts with their retries, and a busy machine. */
const MOST_MS = 20_000;
const ENDLESS_BYTES = 200 * 1024 * 1024;
/** A stream of good events is passed on for as long as it lasts. */
const STREAM_BYTES = 8 * 1024 * 1024;

/** `npm run lab -- misbehave [file to draw into]` */
export async function run([picture]) {
  const bad = await startBadHost();
  const good = await startUpstream();
  const mcpServers = Object.fromEntries(
    SERVER_MODES.map((mode) => [
      mode,
      {
        command: process.execPath,
        args: [ODD_SERVER, mode],
        connectTimeoutMs: TIMEOUT_MS,
        listTimeoutMs: TIMEOUT_MS,
        callTimeoutMs: TIMEOUT_MS,
      },
    ]),
  );
  const anthropic = { provider: 'anthropic', apiKey: 'sk-secret-of-the-gateway', toolSearch: 'local' };
  const gateway = await startGateway({
    store: { path: ':memory:' },
    upstreamPort: good.port,
    more: { mcpServers, limits: { upstreamTimeoutMs: TIMEOUT_MS, upstreamRetries: 0 } },
    upstreams: [{ ...anthropic, models: ['bad-*'], baseUrl: `http://127.0.0.1:${bad.port}` }],
  });
  const problems = [];
  const bars = [];
  const check = async (what, ask) => {
    const started = performance.now();
    const { status, text } = await ask().catch((error) => ({ status: 0, text: String(error) }));
    const ms = performance.now() - started;
    bars.push({ label: `${what}: ${status}`, value: ms, isOurs: true });
    const isAlive = await fetch(`http://127.0.0.1:${gateway.port}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
    console.log(`${what.padEnd(44)} ${status} after ${Math.round(ms)} ms   ${text.slice(0, 90).replaceAll('\n', ' ')}`);
    if (status === 0 || status === 500) problems.push(`${what}: ${status} ${text.slice(0, 200)}`);
    if (ms > MOST_MS) problems.push(`${what}: answered after ${Math.round(ms)} ms`);
    if (text.includes('sk-secret')) problems.push(`${what}: the answer shows the key of the gateway`);
    if (text.length > 64 * 1024 * 1024) problems.push(`${what}: ${text.length} characters were passed on`);
    if (!isAlive || gateway.exited !== undefined) problems.push(`${what}: the gateway is gone`);
  };
  const post = async (path, body, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(3 * MOST_MS),
    });
    return { status: response.status, text: await response.text() };
  };
  try {
    for (const mode of Object.keys(HOSTS)) {
      for (const stream of [false, true]) {
        const body = { model: `bad-${mode}`, max_tokens: 10, stream, messages: [{ role: 'user', content: 'Hello' }] };
        await check(`host ${mode}${stream ? ', streaming' : ''}`, () => post('/v1/messages', body));
      }
    }
    const rpc = (method, params) =>
      post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method, params },
        { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
      );
    await check('MCP: initialize', () =>
      rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'lab', version: '1' } }),
    );
    await check('MCP: tools/list', () => rpc('tools/list', {}));
    for (const name of [
      'noisy__hello',
      'crashing__crash',
      'crashing__crash',
      'waiting__wait',
      'changing__change',
      'stubborn__pids',
      'good__none',
    ]) {
      await check(`MCP: tools/call ${name}`, () => rpc('tools/call', { name, arguments: {} }));
    }
    await check('MCP: prompts/list', () => rpc('prompts/list', {}));
    const fair = { model: 'claude-scripted', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
    await check('a plain request afterwards', () => post('/v1/messages', fair));
    if (picture !== undefined) writeFileSync(picture, draw(bars));
    if (gateway.faults.length > 0) problems.push(`errors reached the last resort: ${gateway.faults[0]}`);
  } finally {
    await gateway.stop();
    bad.server.closeAllConnections();
    bad.server.close();
    good.stop();
  }
  return problems;
}

function draw(bars) {
  const title = `Milliseconds until the gateway answers, and the status; timeouts are set to ${TIMEOUT_MS / 1000} s`;
  return drawBars([{ title, bars }], { labelWidth: 350 });
}

const EVENT =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n';
const DELTA =
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word"}}\n\n';
const begin = (response, type = 'text/event-stream') => response.writeHead(200, { 'content-type': type });

/** What a host does with a request. */
const HOSTS = {
  'never answers': () => undefined,
  'closes at once': (response) => response.destroy(),
  'closes in the middle': (response) => {
    begin(response).write(EVENT);
    setTimeout(() => response.destroy(), 50);
  },
  'stops in the middle': (response) => begin(response).write(EVENT + DELTA),
  'ends in the middle': (response) => begin(response).end(EVENT),
  'sends HTML': (response) =>
    response
      .writeHead(502, { 'content-type': 'text/html' })
      .end(`<html><body>${'<p>Bad gateway</p>'.repeat(5_000)}</body></html>`),
  'sends HTML with 200': (response) => begin(response, 'text/html').end('<html>Sign in to the hotel network</html>'),
  'refuses the key': (response) =>
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"type":"error","error":{"type":"authentication_error","message":"invalid key sk-secret-of-the-gateway"}}'),
  'redirects to itself': (response, request) => response.writeHead(302, { location: request.url }).end(),
  'sends no JSON': (response) => begin(response, 'application/json').end('{"id": "msg_1", '),
  'sends JSON of another kind': (response) => begin(response, 'application/json').end('[1,2,{"a":null}]'),
  'sends events of another kind': (response) =>
    begin(response).end('data: 5\n\ndata: null\n\ndata: {"type":7}\n\ndata: [DONE]\n\n'),
  'sends bytes that are no text': (response) => begin(response).end(Buffer.alloc(100_000, 0xff)),
  'sends one endless line': (response) => flood(begin(response), 'x'.repeat(65_536)),
  'sends endless events': (response) => flood(begin(response), EVENT + DELTA.repeat(500), STREAM_BYTES),
  'sends an endless body': (response) => flood(begin(response, 'application/json'), ' '.repeat(65_536)),
  'asks to wait for a day': (response) => response.writeHead(429, { 'retry-after': '86400' }).end('{}'),
  'answers with status 999': (response) => response.writeHead(999).end('?'),
};

/** As much as the other side takes, up to a bound that no gateway should pass on. */
function flood(response, text, most = ENDLESS_BYTES) {
  let sent = 0;
  const more = () => {
    while (!response.destroyed && sent < most) {
      sent += text.length;
      if (!response.write(text)) return response.once('drain', more);
    }
    response.end();
  };
  more();
}

async function startBadHost() {
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const mode = /"model":"bad-([^"]*)"/.exec(text)?.[1];
      HOSTS[mode]?.(response, request);
    });
  });
  return { server, port: await listen(server) };
}
