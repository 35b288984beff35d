// Requests of every protocol with parts changed, and answers of a model's host with parts changed: no request gets a 500 or is left
// without an end, and nothing reaches the process's last resort.
import { createServer } from 'node:http';
import { configuredUpstreams, createGateway } from '@quartermaster/gateway';
import { openStore } from '@quartermaster/host/store';
import { listen } from '../../scripts/listen.mjs';
import { mutate, mutateBytes } from './random.mjs';

const TOOL = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object' },
  defer_loading: true,
};
const CALL = { id: 'toolu_1', name: 'get_weather', input: { city: 'Rome' } };
const MESSAGES = {
  model: 'claude-test',
  max_tokens: 100,
  system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
  tools: [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }, TOOL, { ...TOOL, name: 'other' }],
  messages: [
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'So' },
        { type: 'tool_use', ...CALL },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sunny' }] }],
    },
  ],
};
const FUNCTION = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object' } },
  defer_loading: true,
};
const CHAT = {
  model: 'gpt-test',
  tools: [FUNCTION],
  messages: [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
  ],
};
const RESPONSES = {
  model: 'gpt-test',
  tools: [
    { type: 'function', name: 'get_weather', parameters: { type: 'object' }, defer_loading: true },
    { type: 'tool_search' },
  ],
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
    { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
  ],
};
const BODIES = [
  ['/v1/messages', MESSAGES],
  ['/v1/chat/completions', CHAT],
  ['/v1/responses', RESPONSES],
];
const USAGE = { input_tokens: 10, output_tokens: 5 };
const EVENTS = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage: USAGE,
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_2', name: 'tool_search_tool_bm25', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"query":"weather"}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: USAGE },
  { type: 'message_stop' },
];
const WHOLE = { ...EVENTS[0].message, content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' };
const ANSWER_MS = 20_000;

export async function fuzz(random, count) {
  const upstream = startHost(random);
  const baseUrl = `http://127.0.0.1:${await listen(upstream)}`;
  /** @type {import('@quartermaster/host/config').UpstreamSettings} */
  const host = { provider: 'anthropic', models: ['*'], apiKey: 'none', toolSearch: 'local', baseUrl };
  const gateway = createGateway({
    upstreams: configuredUpstreams([host], { env: {}, retries: { maxRetries: 0 } }),
    store: await openStore({ path: ':memory:' }),
    search: { engine: 'bm25', whenNothingFits: 'empty' },
    workerUrl: false,
  });
  const problems = [];
  const statuses = new Map();
  const last = (error) => problems.push(`reached the last resort: ${error?.stack}`);
  process.on('unhandledRejection', last).on('uncaughtException', last);
  try {
    for (let done = 0; done < count; done += 1) {
      const [path, sample] = random.pick(BODIES);
      const value = { ...mutate(random, sample), ...(random.isOne(2) ? { stream: true } : {}) };
      const text = Buffer.from(JSON.stringify(value));
      const body = random.isOne(10) ? mutateBytes(random, text) : text;
      const request = new Request(`http://127.0.0.1${path}`, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const shown = () => `${path} ${body.toString('utf8').slice(0, 2_000)}`;
      try {
        const response = await gateway.fetch(request);
        const answer = await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 500 || /Internal error/.test(answer))
          problems.push(`${response.status} for ${shown()}: ${answer.slice(0, 300)}`);
      } catch (error) {
        problems.push(`${error} for ${shown()}`);
      }
    }
  } finally {
    await gateway.close();
    upstream.closeAllConnections();
    upstream.close();
    process.off('unhandledRejection', last).off('uncaughtException', last);
  }
  return {
    cases: count,
    problems,
    note: [...statuses]
      .sort()
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
  };
}

/** A host whose answers are as often damaged as not. */
function startHost(random) {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const isDamaged = random.isOne(2);
      if (isDamaged && random.isOne(8))
        return response.writeHead(random.pick([200, 400, 401, 429, 502])).end(random.text(40));
      if (!text.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify(isDamaged ? mutate(random, WHOLE) : WHOLE));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // One search, so that a model that goes on asking does not make a case of many.
      const events = text.includes('toolu_2') ? [...EVENTS.slice(0, 4), ...EVENTS.slice(7)] : EVENTS;
      const sent = isDamaged ? mutate(random, events) : events;
      for (const event of Array.isArray(sent) ? sent : [sent])
        response.write(`event: ${event?.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (isDamaged && random.isOne(10)) response.destroy();
      else response.end();
    });
  });
  return server;
}
