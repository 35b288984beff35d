// A server over stdio that misbehaves in the way its first argument names. Written by hand, so that no SDK tidies up after it.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const mode = process.argv[2] ?? 'plain';
const TASKS = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
const schema = { type: 'object', properties: {} };
const tool = (name, more = {}) => ({ name, description: `The tool ${name}`, inputSchema: schema, ...more });
let description = 'Says hello';
let children = [];
const waiting = [];
const cancelled = [];
const asked = new Map();
const heard = [];
let listed = 0;

const modes = {
  plain: { tools: () => [tool('hello', { description })] },
  silent: { initialize: () => undefined },
  noisy: {
    before: () => process.stdout.write('Starting up…\n{"level":"info","msg":"ready"}\n[1,2]\n\n"text"\n'),
    tools: () => [tool('hello')],
    call: () => {
      process.stdout.write('working on it\n');
      return text('done');
    },
  },
  'list-error': { list: () => fail(-32603, 'the database is locked') },
  endless: {
    list: (params) => ({ tools: [tool(`t${params?.cursor ?? 0}`)], nextCursor: `${Number(params?.cursor ?? 0) + 1}` }),
  },
  'no-list': { list: () => ({ tools: null }) },
  'all-bad': { list: () => ({ tools: [{ name: 'deep', inputSchema: '@deep' }, null] }) },
  repeating: { list: () => ({ tools: [tool('same')], nextCursor: 'again' }) },
  'bad-tools': {
    tools: () => [
      tool('good'),
      { name: 'no_schema', description: 'Has no schema' },
      { name: 'no_type', inputSchema: { properties: { a: {} } } },
      { description: 'has no name', inputSchema: schema },
      42,
      null,
      { name: 'bad_schema', inputSchema: 'text' },
      tool('good', { description: 'The same name again' }),
      tool('large', { description: 'x'.repeat(85_000) }),
      { name: 'deep', inputSchema: '@deep' },
      JSON.parse(
        '{"name":"proto","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}}',
      ),
      tool('last'),
    ],
  },
  crashing: { tools: () => [tool('crash')], call: () => process.exit(3) },
  dying: { before: () => process.exit(1) },
  stubborn: {
    before: () => {
      process.on('SIGTERM', () => {});
      const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
      children = [spawn(process.execPath, ['-e', stay], { stdio: 'ignore' })];
      setInterval(() => {}, 1000);
    },
    tools: () => [tool('pids')],
    call: () => text(JSON.stringify([process.pid, ...children.map((child) => child.pid)])),
  },
  environment: { tools: () => [tool('names')], call: () => text(JSON.stringify(process.env)) },
  changing: {
    tools: () => [tool('hello', { description }), tool('change')],
    call: (params) => {
      description = params.arguments?.to ?? 'Changed';
      for (let count = 0; count < 5; count += 1) send({ method: 'notifications/tools/list_changed' });
      return text('ok');
    },
  },
  waiting: {
    tools: () => [tool('wait'), tool('waited')],
    call: (params, id) => {
      if (params.name === 'waited') return text(JSON.stringify({ waiting, cancelled }));
      waiting.push(id);
      return undefined;
    },
  },
  asking: {
    tools: () => [tool('ask')],
    call: (_params, id) => {
      asked.set('q1', id);
      send({ id: 'q1', method: 'elicitation/create', params: { message: 'Name?', requestedSchema: schema } });
      return undefined;
    },
  },
  'wants-url': {
    tools: () => [tool('open')],
    call: () => ({
      error: {
        code: -32042,
        message: 'Sign in first',
        data: { elicitations: [{ mode: 'url', elicitationId: '1', url: 'https://example.com/', message: 'Sign in' }] },
      },
    }),
  },
  telling: {
    tools: () => [tool('tell'), tool('heard')],
    call: (params) => {
      if (params.name === 'heard') return text(JSON.stringify(heard));
      send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
      send({ method: 'notifications/tasks/status', params: { taskId: 't/1', status: 'completed' } });
      return text('told');
    },
    more: {
      'prompts/list': (params) =>
        params?.cursor === undefined ? { prompts: [{ name: 'a' }], nextCursor: '1' } : { prompts: [{ name: 'b' }] },
    },
  },
  'endless-prompts': {
    tools: () => [tool('hello')],
    more: {
      'prompts/list': (params) => {
        const page = Number(params?.cursor ?? 0);
        return { prompts: [{ name: `p${page}` }], nextCursor: String(page + 1) };
      },
    },
  },
  restless: {
    list: () => {
      listed += 1;
      send({ method: 'notifications/tools/list_changed' });
      return { tools: [tool('listed')] };
    },
    call: () => text(String(listed)),
  },
  worsening: {
    list: () => {
      listed += 1;
      if (listed === 1) send({ method: 'notifications/tools/list_changed' });
      return { tools: [tool('good'), ...(listed === 1 ? [] : [null])] };
    },
  },
  tasks: {
    tools: () => [tool('slow', { execution: { taskSupport: 'required' } })],
    call: (params) => ({
      task: { taskId: 't/1', status: 'working', ttl: params.task?.ttl ?? null, createdAt: '', lastUpdatedAt: '' },
    }),
    more: {
      'tasks/get': ({ taskId }) => ({ taskId, status: 'completed', ttl: null, createdAt: '', lastUpdatedAt: '' }),
      'tasks/cancel': ({ taskId }) => ({ taskId, status: 'cancelled', ttl: null, createdAt: '', lastUpdatedAt: '' }),
      'tasks/list': () => ({
        tasks: [{ taskId: 't/1', status: 'completed', ttl: null, createdAt: '', lastUpdatedAt: '' }],
      }),
      'tasks/result': ({ taskId }) => ({
        ...text('done'),
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      }),
    },
  },
  'odd-results': {
    tools: () => [
      {
        name: 'strange',
        inputSchema: { properties: { a: true } },
        annotations: { readOnlyHint: 'maybe' },
        outputSchema: { anyOf: [] },
      },
      tool('fine', { _meta: { 'example.com/x': 1 } }),
    ],
    call: (params) => ({
      content: [
        { type: 'hologram', data: 'x' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      ],
      _meta: { seen: params._meta ?? null },
      extra: true,
    }),
  },
};

const behaviour = modes[mode];
behaviour.before?.();

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result: reply } = JSON.parse(line);
  if (method === undefined && asked.has(id)) {
    send({ id: asked.get(id), result: text(JSON.stringify(reply)) });
    return;
  }
  if (method === 'notifications/cancelled') cancelled.push(params.requestId);
  if (id === undefined) {
    heard.push(method);
    return;
  }
  const result = answer(method, params, id);
  if (result === undefined) return;
  send('error' in result ? { id, error: result.error } : { id, result });
});

function answer(method, params, id) {
  switch (method) {
    case 'initialize':
      if (behaviour.initialize) return behaviour.initialize();
      return {
        protocolVersion: '2025-03-26',
        capabilities: {
          tools: { listChanged: true },
          ...(mode === 'tasks' ? TASKS : {}),
          ...(mode === 'telling' || mode === 'endless-prompts' ? { prompts: {} } : {}),
        },
        serverInfo: { name: mode, version: '1' },
        instructions: `I am ${mode}`,
      };
    case 'tools/list':
      return behaviour.list ? behaviour.list(params) : { tools: behaviour.tools() };
    case 'tools/call':
      return behaviour.call ? behaviour.call(params, id) : text('hello');
    default:
      return behaviour.more?.[method]?.(params) ?? fail(-32601, 'Method not found');
  }
}

function text(value) {
  return { content: [{ type: 'text', text: value }] };
}

function fail(code, message) {
  return { error: { code, message } };
}

function send(message) {
  // Written as text, since no serializer gets this deep.
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message }).replace('"@deep"', deep)}\n`);
}
