// Hostile clients of `/mcp`, without sessions and with them, in front of MCP servers that work. Nobody's messages may give a 500, end the
// gateway, hold its loop, fill its memory, or reach another key's session.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { drawBars } from '../bench/draw-bars.mjs';
import { listen } from '../scripts/listen.mjs';
import { startGateway } from './processes/serve.mjs';
import { startPing, startUpstream } from './processes/start-process.mjs';

const ODD_SERVER = fileURLToPath(new URL('../packages/mcp/src/testing/odd-server.fixture.mjs', import.meta.url));
const MANY_TOOLS = 2_000;
/** What the gateway's own code may hold the loop for; what a busy machine adds is measured before. */
const MOST_MS = 50;
const QUIET_MS = 1_000;
/** Each is sent so often, and the shortest wait counts: the others are what the machine did beside it. */
const TURNS = 3;
/** Without an answer after this, it is missing. */
const PATIENCE_MS = 30_000;
/** How much the process may grow during all of it. */
const MOST_GROWTH_BYTES = 400 * 1024 * 1024;
const KEYS = ['first-key', 'second-key'];
const LEGACY = '2025-06-18';
const MODERN = '2026-07-28';

/** `npm run lab -- mcp-clients [file to draw into]` */
export async function run([picture]) {
  const groups = [];
  const problems = [];
  for (const sessions of [false, true]) {
    const bars = await attack(sessions, (problem) =>
      problems.push(`${sessions ? 'with' : 'without'} sessions: ${problem}`),
    );
    groups.push({ title: `Longest wait of another client, ms, ${sessions ? 'with' : 'without'} mcp.sessions`, bars });
  }
  if (picture !== undefined) writeFileSync(picture, drawBars(groups, { labelWidth: 330 }));
  return problems;
}

async function attack(sessions, fail) {
  const upstream = await startUpstream();
  const many = await startManyTools();
  const gateway = await startGateway({
    store: { path: ':memory:' },
    upstreamPort: upstream.port,
    more: {
      keys: KEYS.map((key) => ({ name: key, key, catalogs: key === 'first-key' ? ['*'] : ['many'] })),
      mcp: { sessions },
      mcpServers: {
        many: { url: `http://127.0.0.1:${many.port}/mcp` },
        plain: { command: process.execPath, args: [ODD_SERVER, 'plain'] },
        waiting: { command: process.execPath, args: [ODD_SERVER, 'waiting'], callTimeoutMs: 2_000 },
        tasks: { command: process.execPath, args: [ODD_SERVER, 'tasks'] },
      },
    },
  });
  const ping = await startPing(gateway.port);
  const client = hostileClient(gateway.port, fail);
  try {
    await client.ready();
    await pause(QUIET_MS);
    await ping.figures();
    await pause(QUIET_MS);
    const quiet = (await ping.figures()).longestMs;
    const before = await gateway.rss();
    console.log(`${sessions ? 'with' : 'without'} sessions; quiet: ${quiet.toFixed(0)} ms, ${mebibytes(before)} MiB`);
    const bars = [];
    let most = before;
    for (const [what, send] of Object.entries(ATTACKS)) {
      let least = Number.POSITIVE_INFINITY;
      client.what = what;
      await client.renew();
      client.statuses.clear();
      for (let turn = 0; turn < TURNS; turn += 1) {
        await ping.figures();
        await send(client, turn);
        await pause(100);
        least = Math.min(least, (await ping.figures()).longestMs);
        most = Math.max(most, await gateway.rss());
      }
      const statuses = [...client.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
      console.log(
        `${what.padEnd(42)} ${least.toFixed(0).padStart(4)} ms ${mebibytes(most)} MiB  ${statuses}   ${client.last}`,
      );
      bars.push({ label: what, value: least, isOurs: true });
      if (least > MOST_MS + quiet) fail(`${what}: another client waited ${least.toFixed(0)} ms`);
      if (gateway.exited !== undefined) throw new Error(`${what}: the gateway ended with ${gateway.exited}`);
    }
    client.what = 'a plain call afterwards';
    await client.renew();
    const { text } = await client.rpc('tools/call', { name: 'plain__hello', arguments: {} });
    if (!text.includes('"result"')) fail(`a plain call afterwards: ${text.slice(0, 200)}`);
    console.log(`memory: ${mebibytes(before)} MiB before, ${mebibytes(most)} MiB at most`);
    if (most - before > MOST_GROWTH_BYTES) fail(`the process grew by ${mebibytes(most - before)} MiB`);
    for (const fault of gateway.faults) fail(`reached the last resort: ${fault.slice(0, 300)}`);
    return bars;
  } finally {
    ping.stop();
    await gateway.stop();
    many.server.closeAllConnections();
    many.server.close();
    upstream.stop();
  }
}

const mebibytes = (bytes) => Math.round(bytes / 1024 ** 2);

/** Sends what it is given, and checks what every answer has to be. */
function hostileClient(port, fail) {
  const url = `http://127.0.0.1:${port}/mcp`;
  const client = {
    port,
    url,
    what: '',
    last: '',
    /** Of each key's session, where the gateway keeps sessions. */
    sessionIds: {},
    statuses: new Map(),
    fail: (problem) => fail(`${client.what}: ${problem}`),
    /** Any request; without an answer in time, with a 500, or with a message about an internal error it fails. */
    async send(body, { headers = {}, method = 'POST', key = KEYS[0], isNew = false } = {}) {
      try {
        const response = await fetch(url, {
          method,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${key}`,
            'mcp-protocol-version': LEGACY,
            ...(isNew ? {} : client.sessionHeaders(key, headers)),
            ...headers,
          },
          body: method === 'POST' ? body : undefined,
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        const text = method === 'GET' && response.status === 200 ? '' : await response.text();
        if (method === 'GET') await response.body?.cancel().catch(() => undefined);
        client.note(response.status, text);
        return { status: response.status, text: text.slice(0, 1_000_000), headers: response.headers };
      } catch (error) {
        client.fail(`no answer: ${error.cause ?? error}`);
        return { status: 0, text: '', headers: new Headers() };
      }
    },
    note(status, text) {
      client.statuses.set(status, (client.statuses.get(status) ?? 0) + 1);
      client.last = text.slice(0, 100).replaceAll('\n', ' ');
      if (status === 500) client.fail(`500 ${text.slice(0, 200)}`);
      if (/"Internal error"|TypeError|RangeError|is not a function|Cannot read/.test(text.slice(0, 10_000)))
        client.fail(`an error of the gateway's own: ${text.slice(0, 300)}`);
    },
    rpc: (method, params, more) => client.send(JSON.stringify({ jsonrpc: '2.0', id: nextId(), method, params }), more),
    /** A session's id; undefined where the gateway keeps none. */
    async session(key = KEYS[0]) {
      const answer = await client.rpc('initialize', INITIALIZE, { key, isNew: true });
      return answer.headers.get('mcp-session-id') ?? undefined;
    },
    /** A session for each key: a flood of sessions ends those that are there. */
    async renew() {
      for (const key of KEYS) client.sessionIds[key] = await client.session(key);
    },
    /** The newer revision has no sessions. */
    sessionHeaders(key, headers) {
      const id = client.sessionIds[key];
      return id === undefined || headers['mcp-protocol-version'] === MODERN ? {} : { 'mcp-session-id': id };
    },
    async ready() {
      client.what = 'the first list';
      await client.renew();
      for (let tries = 0; tries < 50; tries += 1) {
        const { text } = await client.rpc('tools/call', {
          name: 'tool_call',
          arguments: { name: 'plain__hello', arguments: {} },
        });
        if (text.includes('result')) return;
        await pause(100);
      }
      client.fail('the servers did not get ready');
    },
  };
  return client;
}

const INITIALIZE = {
  protocolVersion: LEGACY,
  capabilities: {},
  clientInfo: { name: 'hostile', version: '1' },
};
let lastId = 1_000;
/** In a session, two requests at once with one id are refused. */
const nextId = () => {
  lastId += 1;
  return lastId;
};
const KEY = 'io.modelcontextprotocol/';
const modern = (method, more = {}) => ({
  headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...more },
});
const envelope = { _meta: { [`${KEY}protocolVersion`]: MODERN, [`${KEY}clientCapabilities`]: {} } };
const nested = (depth, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;
const call = (args, name = 'tool_call') =>
  `{"jsonrpc":"2.0","id":${nextId()},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`;
const long = (text, length) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
/** So many, eight at a time: what a hundred requests at once add to each other's waits is load, and no single one's fault. */
async function times(count, make) {
  let next = 0;
  const work = async () => {
    while (next < count) await make(next++);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}

const ODD_IDS = [
  ...['null', '1.5', '-1', '1e400', '""', '"a"', '{}', '[]', 'true', '9007199254740993'],
  JSON.stringify('x'.repeat(100_000)),
];
const ODD_NAMES = [
  ...['', ' ', '__proto__', 'constructor', 'toString', 'plain__', '__hello', 'plain__hello__', '../../etc/passwd'],
  ...['a\u0000b', '\ud800', '\u202ehello', 'tool_call', 'tool_search', 'tool_describe', 'plain/hello', '*', '<script>'],
  long('plain__', 1_000_000),
];
const ODD_PARAMS = [
  ...['null', '1', '"a"', '[]', '[1]', '{"name":1}', '{"name":null,"arguments":[]}', '{"name":{"a":1}}'],
  ...['{"name":"plain__hello","arguments":"text"}', '{"name":"plain__hello","arguments":7}'],
  '{"name":"plain__hello","_meta":5,"arguments":{}}',
  '{"name":"plain__hello","_meta":{"progressToken":{}},"arguments":{}}',
  '{"__proto__":{"name":"plain__hello"},"constructor":{"prototype":{"polluted":1}}}',
  '{"cursor":{},"uri":[],"ref":null,"argument":1,"taskId":{},"level":[],"requestState":5,"inputResponses":7}',
  '{"cursor":"\\u0000","uri":"file:///etc/passwd","taskId":"../1","level":"","requestState":"x","inputResponses":[]}',
];
const METHODS = [
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read', 'resources/subscribe'],
  ...['resources/unsubscribe', 'resources/templates/list', 'prompts/list', 'prompts/get', 'completion/complete'],
  ...['logging/setLevel', 'tasks/list', 'tasks/get', 'tasks/result', 'tasks/cancel', 'server/discover'],
  ...[
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/roots/list_changed',
    'notifications/progress',
  ],
  ...['subscriptions/listen', 'sampling/createMessage', 'elicitation/create', 'rpc.discover', '__proto__', ''],
];

/** Each is one attack, and how it is sent. */
const ATTACKS = {
  'a message of 3.9 MB': (client) =>
    client.send(call(JSON.stringify({ name: 'plain__hello', arguments: { text: 'x'.repeat(3_900_000) } }))),
  'a message over the limit': (client) => client.send(call(JSON.stringify({ text: 'x'.repeat(5_000_000) }))),
  'a body that is no JSON': (client) =>
    times(20, (at) => client.send(['', '{', 'null', '7', '"a"', 'true', '\u0000', '{"a":'][at % 8])),
  'half a million values': (client) =>
    client.send(call(`{"name":"plain__hello","arguments":{"list":[${'1,'.repeat(500_000)}1]}}`)),
  'as many values as are allowed': (client) =>
    client.send(call(`{"name":"plain__hello","arguments":{"list":[${'1,'.repeat(199_000)}1]}}`)),
  'as many members as are allowed': (client, turn) =>
    client.send(call(`{${Array.from({ length: 17_000 }, (_, at) => `"a${turn}_${at}":0`).join()}}`)),
  'nested 100,000 deep': (client) => client.send(call(`{"a":${nested(100_000)}}`)),
  'nested 990 deep': (client) =>
    times(20, () => client.send(call(`{"name":"plain__hello","arguments":{"a":${nested(980)}}}`))),
  'objects nested 990 deep': (client) =>
    client.send(call(`{"name":"plain__hello","arguments":${nested(980, '{"a":', '}').replace(':}', ':1}')}}`)),
  'a batch of 100 searches': (client) =>
    client.send(
      JSON.stringify(
        Array.from({ length: 100 }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'tool_search', arguments: { query: `report ${id}` } },
        })),
      ),
    ),
  'a batch of 100 lists': (client) =>
    client.send(
      JSON.stringify(
        Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })),
      ),
    ),
  'a batch of 10,000 messages': (client) =>
    client.send(`[${Array.from({ length: 10_000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)}]`),
  'odd batches': (client) =>
    times(8, (at) =>
      client.send(
        [
          '[]',
          '[[]]',
          '[1]',
          '[null]',
          '[{}]',
          '[{"jsonrpc":"2.0"}]',
          '[{"jsonrpc":"2.0","id":1,"method":"ping"},7]',
          '[{"jsonrpc":"2.0","id":1,"result":{}}]',
        ][at],
      ),
    ),
  'the same id twice in a batch': (client) =>
    client.send('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"tools/list"}]'),
  'ids of odd types': (client) =>
    times(ODD_IDS.length, (at) => client.send(`{"jsonrpc":"2.0","id":${ODD_IDS[at]},"method":"ping"}`)),
  'versions of the protocol that never were': (client) =>
    times(8, async (at) => {
      const version = [
        '',
        '0',
        '1999-01-01',
        '9999-99-99',
        'latest',
        '2025-06-18, 2026-07-28',
        'x'.repeat(5_000),
        '2026-07-28',
      ][at];
      await client.rpc('tools/list', {}, { headers: { 'mcp-protocol-version': version } });
      await client.rpc('initialize', { ...INITIALIZE, protocolVersion: version });
    }),
  'answers to questions that were not asked': (client) =>
    times(20, (at) => client.send(`{"jsonrpc":"2.0","id":${at},"result":{"tools":[]}}`)),
  'every method with odd parameters': async (client) => {
    for (const method of METHODS) {
      await times(ODD_PARAMS.length, (at) =>
        client.send(`{"jsonrpc":"2.0","id":${nextId()},"method":${JSON.stringify(method)},"params":${ODD_PARAMS[at]}}`),
      );
    }
  },
  'the same in the newer revision': async (client) => {
    for (const method of METHODS.filter((one) => one !== '' && one !== 'subscriptions/listen')) {
      await times(ODD_PARAMS.length, (at) => {
        let params = JSON.parse(ODD_PARAMS[at]);
        if (params !== null && typeof params === 'object' && !Array.isArray(params))
          params = { ...envelope, ...params };
        return client.rpc(method, params, modern(method, { 'mcp-name': 'plain__hello' }));
      });
    }
  },
  'headers that contradict the message': (client) =>
    times(6, (at) =>
      client.rpc(
        'tools/call',
        { ...envelope, name: 'plain__hello', arguments: {} },
        modern(['tools/list', 'subscriptions/listen', '', 'x'.repeat(5_000), 'tools/call', 'tools/call'][at], {
          'mcp-name': ['plain__hello', '', 'other', 'x'.repeat(5_000), '=?base64?!!!?=', '%00'][at],
        }),
      ),
    ),
  'odd names of tools': (client) =>
    times(ODD_NAMES.length, async (at) => {
      await client.rpc('tools/call', { name: ODD_NAMES[at], arguments: {} });
      await client.rpc('tools/call', { name: 'tool_call', arguments: { name: ODD_NAMES[at], arguments: {} } });
      await client.rpc('tools/call', { name: 'tool_describe', arguments: { name: ODD_NAMES[at] } });
    }),
  'calls wrapped a thousand times': (client) => {
    let wrapped = '{"name":"plain__hello","arguments":{}}';
    for (let depth = 0; depth < 450; depth += 1) wrapped = `{"name":"tool_call","arguments":${wrapped}}`;
    return client.send(call(wrapped));
  },
  'arguments as a string of a string': (client) => {
    let text = '{"name":"plain__hello"}';
    for (let depth = 0; depth < 12; depth += 1) text = JSON.stringify(text);
    return client.send(call(text));
  },
  'queries of a megabyte': (client) =>
    client.rpc('tools/call', { name: 'tool_search', arguments: { query: long('create report ', 1_000_000) } }),
  'queries as long as is allowed': (client) =>
    times(16, (at) =>
      client.rpc('tools/call', {
        name: 'tool_search',
        arguments: { query: `${at} ${long(['請求書', '+a -b ', 'and then list ', '"x" '][at % 4], 3_990)}` },
      }),
    ),
  'hostile patterns': (client) =>
    times(4, (at) =>
      client.rpc('tools/call', {
        name: 'tool_search',
        arguments: {
          query: ['(a+)+$', '(?=(a*))*b', '[[[[[', '(x{1,999}){1,999}'][at],
          limit: [1e9, -1, 'x', null][at],
        },
      }),
    ),
  'a flood of 1,500 sessions': async (client) => {
    for (let at = 0; at < 15; at += 1) await times(100, () => client.session());
  },
  'a flood of 2,000 notifications': async (client) => {
    const id = await client.session();
    const headers = id === undefined ? {} : { 'mcp-session-id': id };
    for (let at = 0; at < 20; at += 1) {
      await times(100, () => client.send('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}', { headers }));
    }
  },
  'cancellations of everything': async (client) => {
    const id = await client.session();
    const headers = id === undefined ? {} : { 'mcp-session-id': id };
    const waiting = client.send(
      '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"tool_call","arguments":{"name":"waiting__wait","arguments":{}}}}',
      { headers },
    );
    for (const request of ['77', '"77"', 'null', '{}', '1e400', '78'])
      await client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${request}}}`, {
        headers,
      });
    if (id !== undefined) await client.send('', { method: 'DELETE', headers });
    else await waiting;
  },
  'one id for two calls at once': async (client) => {
    const id = await client.session();
    const headers = id === undefined ? {} : { 'mcp-session-id': id };
    await times(20, () => client.send('{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{}}', { headers }));
  },
  'calls that are broken off': async (client) => {
    for (let at = 0; at < 50; at += 1) {
      const socket = connect(client.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const body = call('{"name":"waiting__wait","arguments":{}}');
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEYS[0]}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      setTimeout(() => socket.destroy(), 5 + (at % 20));
    }
    await pause(500);
  },
  'sessions of another key': async (client) => {
    const id = await client.session(KEYS[0]);
    if (id === undefined) return;
    const headers = { 'mcp-session-id': id };
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';
      const { status } = await client.send(body, { method, headers, key: KEYS[1] });
      if (status !== 404) client.fail(`${method} on another key's session: ${status}`);
    }
    const { text } = await client.rpc('tools/list', {}, { headers });
    if (!text.includes('tools')) client.fail('its owner lost the session');
  },
  'odd ids of sessions': (client) =>
    times(6, (at) =>
      client.rpc(
        'tools/list',
        {},
        { headers: { 'mcp-session-id': ['', ' ', '0', 'x'.repeat(8_000), '__proto__', '../'][at] } },
      ),
    ),
  'other tools through another key': async (client) => {
    for (const name of ['plain__hello', 'tool_call']) {
      const { text } = await client.rpc(
        'tools/call',
        { name, arguments: { name: 'plain__hello', arguments: {} } },
        { key: KEYS[1] },
      );
      if (/Says hello|hello \{/.test(text) || (text.includes('"result"') && !text.includes('"isError":true')))
        client.fail(`a key without the right called a tool: ${text.slice(0, 200)}`);
    }
  },
  'tasks of nobody': (client) =>
    times(6, (at) =>
      client.rpc(
        ['tasks/get', 'tasks/result', 'tasks/cancel'][at % 3],
        { taskId: ['tasks/t/1', 'tasks/t%2f1'][at % 2] },
        { key: KEYS[at % 2] },
      ),
    ),
  'readers that never read': async (client) => {
    const id = await client.session();
    const sockets = Array.from({ length: 10 }, () => {
      const socket = connect(client.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      const body = call('{"name":"many__large","arguments":{}}');
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEYS[0]}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\nmcp-protocol-version: ${LEGACY}\r\n${id === undefined ? '' : `mcp-session-id: ${id}\r\n`}content-length: ${body.length}\r\n\r\n${body}`,
      );
      return socket;
    });
    await pause(2_000);
    for (const socket of sockets) socket.destroy();
  },
  'senders that send a byte a second': async (client) => {
    const sockets = Array.from({ length: 100 }, () => {
      const socket = connect(client.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEYS[0]}\r\ncontent-type: application/json\r\ncontent-length: 4000000\r\n\r\n{`,
      );
      return socket;
    });
    await pause(1_000);
    for (const socket of sockets) socket.destroy();
  },
  'a flood of 300 streams that listen': async (client) => {
    const id = await client.session();
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${KEYS[0]}`,
      ...(id === undefined ? {} : { 'mcp-session-id': id }),
    };
    const ends = new AbortController();
    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { ...envelope, notifications: { toolsListChanged: true } },
    };
    await times(300, (at) =>
      (at % 2 === 0
        ? fetch(client.url, { headers, signal: ends.signal })
        : fetch(client.url, {
            method: 'POST',
            headers: {
              ...headers,
              accept: 'application/json, text/event-stream',
              'content-type': 'application/json',
              ...modern('subscriptions/listen').headers,
            },
            body: JSON.stringify(listen),
            signal: ends.signal,
          })
      ).then(
        (response) => client.note(response.status, ''),
        (error) => client.fail(`no answer: ${error}`),
      ),
    );
    ends.abort();
  },
  'streams resumed from anywhere': async (client) => {
    const id = await client.session();
    if (id === undefined) return;
    await times(6, (at) =>
      client.send('', {
        method: 'GET',
        headers: {
          'mcp-session-id': id,
          accept: 'text/event-stream',
          'last-event-id': ['0', '-1', '1e9', 'x'.repeat(5_000), '__proto__', '1'][at],
        },
      }),
    );
  },
  'other methods and types': (client) =>
    times(6, (at) =>
      client.send('x', {
        method: ['PUT', 'PATCH', 'OPTIONS', 'DELETE', 'GET', 'POST'][at],
        headers: {
          'content-type': [
            'text/plain',
            'application/xml',
            '',
            'application/json; charset=utf-16',
            'x',
            'multipart/form-data',
          ][at],
          accept: ['*/*', '', 'text/html', 'application/json', 'text/plain', 'x'][at],
        },
      }),
    ),
  'real clients that call at once': async (client) => {
    for (const mode of /** @type {const} */ (['legacy', { pin: MODERN }])) {
      await times(20, async (at) => {
        const one = new Client({ name: 'hostile', version: '1' }, { versionNegotiation: { mode } });
        await one.connect(
          new StreamableHTTPClientTransport(new URL(client.url), {
            requestInit: { headers: { authorization: `Bearer ${KEYS[0]}` } },
          }),
        );
        await one.listTools();
        await Promise.all(
          ['tool_search', 'tool_describe', 'tool_call', 'no_such'].map((name) =>
            one
              .callTool({ name, arguments: { query: `report ${at}`, name: 'plain__hello', arguments: {} } })
              .catch((error) => client.note(200, String(error))),
          ),
        );
        await one.close();
      });
    }
  },
};

/** Two thousand tools, and one with a large answer, over HTTP. */
async function startManyTools() {
  /** @type {{ name: string, description: string, inputSchema: object }[]} */
  const tools = Array.from({ length: MANY_TOOLS }, (_, at) => ({
    name: `report_${at}`,
    description: `Creates report number ${at} about the ${at % 7} regions of the ${at % 31} departments`,
    inputSchema: { type: 'object', properties: { [`field_${at % 50}`]: { type: 'string' } } },
  }));
  tools.push({ name: 'large', description: 'Answers with five megabytes', inputSchema: { type: 'object' } });
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'many', version: '1' },
    }),
    'tools/list': () => ({ tools }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'large '.repeat(900_000) }] }),
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(text);
      if (id === undefined) return response.writeHead(202).end();
      const result = answers[method]?.(params);
      const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  return { server, port: await listen(server) };
}
