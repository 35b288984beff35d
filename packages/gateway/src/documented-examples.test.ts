import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { JsonObject } from '@quartermaster/core/catalog';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, type Script, scriptedUpstreams } from './scripted-upstream.fixture.ts';

// The examples of the Messages API's documentation, with only the address changed. Those for languages whose SDKs are not on npm run
// as what they send; `npm run check:documented-examples` runs them with their SDKs.

const SEARCH = { call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern: 'weather' } };
const CALL = { call: 'get_weather', id: 'toolu_w', input: { location: 'San Francisco', unit: 'fahrenheit' } };
const TEXT = "I'll search for tools to help with the weather information.";
const FOUND = 'I found a weather tool. Let me get the weather for San Francisco.';
const ROUNDS: Script = {
  anthropic: [message([{ text: TEXT }, SEARCH], 'tool_use'), message([{ text: FOUND }, CALL], 'tool_use')],
};
const DONE = message([{ text: 'Done.' }], 'end_turn');

/** The answer that the documentation shows. */
const ANSWER = {
  role: 'assistant',
  content: [
    { type: 'text', text: TEXT },
    {
      type: 'server_tool_use',
      name: 'tool_search_tool_regex',
      input: { pattern: 'weather' },
      caller: { type: 'direct' },
    },
    {
      type: 'tool_search_tool_result',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'get_weather' }],
      },
    },
    { type: 'text', text: FOUND },
    { type: 'tool_use', name: 'get_weather', input: { location: 'San Francisco', unit: 'fahrenheit' } },
  ],
  stop_reason: 'tool_use',
  usage: { server_tool_use: { tool_search_requests: 1 } },
};

function example(name: string): string {
  return readFileSync(new URL(`documented-examples/${name}`, import.meta.url), 'utf8');
}

/** What curl would send. */
function readCurl(text: string): {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
} {
  const headers = [...text.matchAll(/--header "([^:]+): ([^"]+)"/g)].map(([, name = '', value = '']) => [name, value]);
  return {
    path: /^curl \$ANTHROPIC_BASE_URL(\S+)/.exec(text)?.[1] ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: /--data '([^']+)'/.exec(text)?.[1] ?? '',
  };
}

const PAYLOAD = JSON.parse(example('payload.json')) as JsonObject & { readonly tools: readonly JsonObject[] };
const [REGEX, WEATHER, FILES] = PAYLOAD.tools;

const [{ content: QUESTION }] = PAYLOAD.messages as readonly [{ readonly content: string }];

/** What the examples for other languages send where it is not word for word what curl does. The SDKs fill in the search tool's name. */
const SENT: readonly (readonly [string, { readonly body?: object; readonly headers?: Record<string, string> }])[] = [
  ['python', { headers: { 'user-agent': 'Anthropic/Python 0.120.0', 'x-stainless-retry-count': '0' } }],
  ['csharp', { body: { tools: PAYLOAD.tools.map(reversed) } }],
  ['go', { body: { messages: [{ content: [{ text: QUESTION, type: 'text' }], role: 'user' }] } }],
  ['java', { body: { tools: [REGEX, WEATHER, FILES].map((tool) => withSchema(tool, reversed)) } }],
  ['php', { body: { stream: false } }],
  ['ruby', { headers: { accept: 'application/json' } }],
  ['delphi', { body: { model: 'claude-opus-4-6' }, headers: { 'anthropic-beta': 'advanced-tool-use-2025-11-20' } }],
];

/** The same fields in another order. */
function reversed(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).reverse());
}

function withSchema(tool: JsonObject | undefined, change: (schema: JsonObject) => JsonObject): JsonObject | undefined {
  const schema = tool?.input_schema as JsonObject | undefined;
  return schema === undefined ? tool : { ...tool, input_schema: change(schema) };
}

/** What a program prints; undefined on a machine that lacks what it needs. */
async function runProgram(needed: string, [command = '', ...args]: readonly string[]): Promise<string | undefined> {
  const run = promisify(execFile);
  const isThere = await run(needed, ['--version']).catch(() => undefined);
  const cwd = fileURLToPath(new URL('documented-examples/', import.meta.url));
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  return isThere === undefined ? undefined : (await run(command, args, { cwd, env })).stdout;
}

describe('the quick start', () => {
  it('runs in TypeScript', async () => {
    const { url } = await runningGateway({ upstreams: scriptedUpstreams(ROUNDS) });
    vi.stubEnv('ANTHROPIC_BASE_URL', url);
    vi.stubEnv('ANTHROPIC_API_KEY', 'none');
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      await import('./documented-examples/quick-start.fixture.ts');
      expect(log.mock.calls[0]?.[0]).toMatchObject(ANSWER);
    } finally {
      log.mockRestore();
      vi.unstubAllEnvs();
    }
  });

  it('runs with curl', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams(ROUNDS) });
    const { path, headers, body } = readCurl(example('quick-start.sh'));
    expect(headers).toMatchObject({ 'x-api-key': '$ANTHROPIC_API_KEY', 'anthropic-version': '2023-06-01' });
    expect(await (await post(path, body, headers)).json()).toMatchObject(ANSWER);
  });

  it('runs with the command line’s YAML', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams(ROUNDS) });
    expect(await (await post('/v1/messages', parse(example('quick-start.yaml')))).json()).toMatchObject(ANSWER);
  });

  it.each([
    ['curl', ['sh', 'quick-start.sh']],
    ['python3', ['python3', 'python/quick_start.py']],
  ])('runs as it is written, or as it is sent where there is no %s', async (needed, program) => {
    const { url, post } = await runningGateway({ upstreams: scriptedUpstreams(ROUNDS) });
    vi.stubEnv('ANTHROPIC_BASE_URL', url);
    vi.stubEnv('ANTHROPIC_API_KEY', 'none');
    try {
      const printed = (await runProgram(needed, program)) ?? (await (await post('/v1/messages', PAYLOAD)).text());
      expect(JSON.parse(printed)).toMatchObject(ANSWER);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each(SENT)('runs as the SDK for %s sends it', async (language, { body = {}, headers = {} }) => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams(ROUNDS) });
    const sent = { 'x-api-key': 'none', 'anthropic-version': '2023-06-01', 'x-stainless-lang': language, ...headers };
    expect(await (await post('/v1/messages', { ...PAYLOAD, ...body }, sent)).json()).toMatchObject(ANSWER);
  });

  it('runs with the header of the beta', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams(ROUNDS) });
    const headers = { 'anthropic-beta': 'advanced-tool-use-2025-11-20' };
    expect(await (await post('/v1/messages', PAYLOAD, headers)).json()).toMatchObject(ANSWER);
  });

  it('streams the search and its result as events', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams(ROUNDS) });
    const text = await (await post('/v1/messages', { ...PAYLOAD, stream: true })).text();
    const started = [...text.matchAll(/^data: (\{"type":"content_block_start".*)$/gm)].map(
      ([, data = '']) => (JSON.parse(data) as { readonly content_block: { readonly type: string } }).content_block.type,
    );
    expect(started).toEqual(['text', 'server_tool_use', 'tool_search_tool_result', 'text', 'tool_use']);
    expect(text).toContain('"partial_json":"{\\"pattern\\":\\"weather\\"}"');
  });
});

describe('a documented answer', () => {
  it('can be sent back, with the query under the name that the documentation uses', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [DONE] });
    const { post } = await runningGateway({ upstreams });
    const content = [
      { type: 'text', text: TEXT },
      { type: 'server_tool_use', id: 'srvtoolu_01ABC123', name: 'tool_search_tool_regex', input: { query: 'weather' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_01ABC123',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'get_weather' }],
        },
      },
      { type: 'text', text: FOUND },
      { type: 'tool_use', id: 'toolu_01XYZ789', name: 'get_weather', input: { location: 'San Francisco' } },
    ];
    const result = { type: 'tool_result', tool_use_id: 'toolu_01XYZ789', content: '18 °C' };
    const messages = [
      ...(PAYLOAD.messages as readonly object[]),
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ];
    const response = await post('/v1/messages', { ...PAYLOAD, messages });
    expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'Done.' }] });
    expect(upstreams.requests[0]?.tools?.map((tool) => (tool as { name: string }).name)).toContain('get_weather');
  });

  it('of a custom search, a tool_result with references, is expanded', async () => {
    const upstreams = scriptedUpstreams({ anthropic: [DONE] });
    const { post } = await runningGateway({ upstreams });
    const own = { name: 'find_tools', description: 'Finds tools', input_schema: { type: 'object' } };
    const messages = [
      ...(PAYLOAD.messages as readonly object[]),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find_tools', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'tool_reference', tool_name: 'get_weather' }],
          },
        ],
      },
    ];
    const response = await post('/v1/messages', { ...PAYLOAD, tools: [own, WEATHER, FILES], messages });
    expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'Done.' }] });
    expect(JSON.stringify(upstreams.requests[0])).toContain('Get the weather at a specific location');
  });
});

describe('the documented errors', () => {
  it('all tools deferred: 400 with the documented message, and the documented fix helps', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [DONE] }) });
    const tools = [{ ...REGEX, defer_loading: true }, WEATHER, FILES];
    const refused = await post('/v1/messages', { ...PAYLOAD, tools });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'All tools have defer_loading set. At least one tool must be non-deferred.',
      },
    });
    expect((await post('/v1/messages', { ...PAYLOAD, tools: [REGEX, WEATHER] })).status).toBe(200);
  });

  it('a reference without a definition: 400 with the documented message', async () => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({ anthropic: [DONE] }) });
    const own = { name: 'find_tools', input_schema: { type: 'object' } };
    const reference = { type: 'tool_reference', tool_name: 'unknown_tool' };
    const messages = [
      ...(PAYLOAD.messages as readonly object[]),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find_tools', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [reference] }] },
    ];
    const refused = await post('/v1/messages', { ...PAYLOAD, tools: [own, WEATHER], messages });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: "Tool reference 'unknown_tool' has no corresponding tool definition",
      },
    });
  });

  it('an invalid pattern: 200, with the code in the result', async () => {
    const broken = { call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern: '(' } };
    const upstreams = scriptedUpstreams({ anthropic: [message([broken], 'tool_use'), DONE] });
    const { post } = await runningGateway({ upstreams, settings: { errorCodes: 'documented' } });
    const response = await post('/v1/messages', PAYLOAD);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      content: [
        { type: 'server_tool_use' },
        { content: { type: 'tool_search_tool_result_error', error_code: 'invalid_pattern' } },
        { text: 'Done.' },
      ],
    });
  });
});

describe('the documented variants', () => {
  it('BM25 takes natural language, and two searches count as two', async () => {
    const search = (id: string, query: string) => ({ call: 'tool_search_tool_bm25', id, input: { query } });
    const upstreams = scriptedUpstreams({
      anthropic: [
        message([search('toolu_1', 'what is the weather like')], 'tool_use'),
        message([search('toolu_2', 'look through files')], 'tool_use'),
        DONE,
      ],
    });
    const { post } = await runningGateway({ upstreams });
    const bm25 = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
    const answer = await (await post('/v1/messages', { ...PAYLOAD, tools: [bm25, WEATHER, FILES] })).json();
    const references = [...JSON.stringify(answer).matchAll(/"tool_name":"(\w+)"/g)].map(([, name]) => name);
    expect(references).toEqual(['get_weather', 'search_files']);
    expect(answer).toMatchObject({ usage: { server_tool_use: { tool_search_requests: 2 } } });
  });

  it.each(['weather', 'get_.*_data', 'database.*query|query.*database', '(?i)slack'])(
    'the pattern %s finds the tool that it is meant for, and no other',
    async (pattern) => {
      const names = ['get_weather_data', 'query_database', 'post_to_Slack', 'print_invoice'];
      const tools = names.map((name) => ({ name, input_schema: { type: 'object' }, defer_loading: true }));
      const searching = { call: 'tool_search_tool_regex', id: 'toolu_s', input: { pattern } };
      const upstreams = scriptedUpstreams({ anthropic: [message([searching], 'tool_use'), DONE] });
      const { post } = await runningGateway({ upstreams });
      const answer = JSON.stringify(
        await (await post('/v1/messages', { ...PAYLOAD, tools: [REGEX, ...tools] })).json(),
      );
      const found = names.filter((name) => answer.includes(`"tool_name":"${name}"`));
      const meant = { weather: 0, 'get_.*_data': 0, 'database.*query|query.*database': 1, '(?i)slack': 2 };
      expect(found).toEqual([names[meant[pattern as keyof typeof meant]]]);
    },
  );
});
