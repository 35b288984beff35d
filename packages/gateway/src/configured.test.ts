import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import { loadConfig } from '@quartermaster/host/config';
import { type AnthropicEvent, anthropicWhole, writeNamedEvent } from '@quartermaster/wires/anthropic';
import { type ChatChunk, chatWhole } from '@quartermaster/wires/openai-chat';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gatewayOptionsFrom } from './gateway-options-from.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { message } from './scripted-upstream.fixture.ts';

interface Host {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: HostBody;
  }[];
}

interface HostBody {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  readonly messages: readonly object[];
}

type HostAnswer = string | { readonly status: number; readonly body: string };

/** A host on this machine that answers from a script, streaming or not, as it is asked. */
async function host(answer: (turn: number, isStream: boolean, path: string) => HostAnswer): Promise<Host> {
  const requests: Host['requests'] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const body = (text.startsWith('{') ? JSON.parse(text) : {}) as HostBody;
      const { url: path = '', method = '' } = incoming;
      requests.push({ method, path, headers: incoming.headers, body });
      const isStream = body.stream === true;
      const answered = answer(requests.length - 1, isStream, path);
      const { status, body: sent } = typeof answered === 'string' ? { status: 200, body: answered } : answered;
      response.writeHead(status, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function anthropicHost(rounds: readonly (readonly AnthropicEvent[])[]): Promise<Host> {
  return host((turn, isStream, path) => {
    if (path.includes('count_tokens')) return JSON.stringify({ input_tokens: 77 });
    const events = rounds[turn] ?? [];
    return isStream ? events.map(writeNamedEvent).join('') : JSON.stringify(anthropicWhole.fromParts(events));
  });
}

function openaiHost(rounds: readonly (readonly ChatChunk[])[]): Promise<Host> {
  return host((turn, isStream) => {
    const parts = rounds[turn] ?? [];
    if (!isStream) return JSON.stringify(chatWhole.fromParts(parts));
    return `${parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('')}data: [DONE]\n\n`;
  });
}

function chunks(turn: { text?: string; call?: { name: string; input: unknown } }): readonly ChatChunk[] {
  const { text, call } = turn;
  const frame = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const calls = call && [
    { index: 0, id: 'call_0', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } },
  ];
  const delta = {
    role: 'assistant',
    ...defined({ content: text }),
    ...(calls && { tool_calls: calls }),
  };
  return [
    { ...frame, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...frame, choices: [{ index: 0, delta: {}, finish_reason: call === undefined ? 'stop' : 'tool_calls' }] },
    { ...frame, choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
  ];
}

async function configured(upstream: object, rest: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'quartermaster.yaml');
  // Every JSON text is YAML.
  writeFileSync(path, JSON.stringify({ upstreams: [upstream], ...rest }));
  return runningGateway(gatewayOptionsFrom(loadConfig({ path, env: {} })));
}

const TOOLS = [
  { type: 'tool_search_tool_bm25_20251119' as const, name: 'tool_search_tool_bm25' as const },
  {
    name: 'get_weather',
    description: 'Get the weather at a location',
    input_schema: { type: 'object' as const, properties: { location: { type: 'string' } } },
    defer_loading: true,
  },
];
const ASK = {
  model: 'some-model',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'What is the weather in Paris?' }],
  tools: TOOLS,
};
const SEARCH = { name: 'tool_search_tool_bm25', input: { query: 'the weather at a location' } };
const CALL = { name: 'get_weather', input: { location: 'Paris' } };
const KINDS = ['server_tool_use', 'tool_search_tool_result', 'tool_use'];

describe.each([false, true])('a gateway as configured, streaming: %s', (isStream) => {
  it('searches in front of an Anthropic-like host', async () => {
    const { url, requests } = await anthropicHost([
      message([{ call: SEARCH.name, id: 'toolu_1', input: SEARCH.input }], 'tool_use'),
      message([{ call: CALL.name, id: 'toolu_2', input: CALL.input }], 'tool_use'),
    ]);
    const { anthropic } = await configured({
      models: ['*'],
      provider: 'anthropic',
      baseUrl: url,
      apiKey: 'sk-upstream',
    });
    const answer = isStream
      ? await anthropic.messages.stream(ASK).finalMessage()
      : await anthropic.messages.create(ASK);
    expect(answer.content.map(({ type }) => type)).toEqual(KINDS);
    expect(requests.map(({ body }) => body.tools?.map(({ name }) => name))).toEqual([
      ['tool_search_tool_bm25'],
      ['tool_search_tool_bm25', 'get_weather'],
    ]);
    expect(requests[0]?.headers).toMatchObject({ 'anthropic-version': '2026-10-21' });
    expect(JSON.stringify(requests[0]?.headers)).toContain('sk-upstream');
    expect(JSON.stringify(requests[0]?.headers)).not.toContain('Bearer none');
  });

  it('searches in front of an OpenAI-like host', async () => {
    const { url, requests } = await openaiHost([
      chunks({ text: 'Let me look.', call: SEARCH }),
      chunks({ call: CALL }),
      chunks({ text: 'Sunny.' }),
    ]);
    const { anthropic } = await configured({ models: ['*'], provider: 'openai-compatible', baseUrl: `${url}/v1` });
    const ask = (messages: typeof ASK.messages) =>
      isStream
        ? anthropic.messages.stream({ ...ASK, messages }).finalMessage()
        : anthropic.messages.create({ ...ASK, messages });
    const answer = await ask(ASK.messages);
    expect(answer.content.map(({ type }) => type)).toEqual(['text', ...KINDS]);
    expect(requests.map(({ body }) => body.tools?.map((tool) => tool.function?.name))).toEqual([
      ['tool_search_tool_bm25'],
      ['tool_search_tool_bm25', 'get_weather'],
    ]);
    const call = answer.content.at(-1) as { id: string };
    const next = await ask([
      ...ASK.messages,
      { role: 'assistant', content: answer.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'sunny' }] },
    ] as unknown as typeof ASK.messages);
    expect(next.content).toMatchObject([{ type: 'text', text: 'Sunny.' }]);
    expect(requests[2]?.body.tools).toEqual(requests[1]?.body.tools);
  });

  it('goes through the whole flow with nothing but the rehearsal', async () => {
    const { anthropic } = await configured({ models: ['*'], provider: 'rehearsal' });
    const answer = isStream
      ? await anthropic.messages.stream(ASK).finalMessage()
      : await anthropic.messages.create(ASK);
    const kinds = answer.content.map(({ type }) => type).filter((type) => type !== 'text');
    expect(kinds).toEqual(KINDS);
    expect(answer.content.at(-1)).toMatchObject({ name: 'get_weather' });
  });
});

describe('a gateway as configured', () => {
  it('leaves the search to a host that is to run it', async () => {
    const { url, requests } = await anthropicHost([message([{ text: 'Ok.' }], 'end_turn')]);
    const upstream = { models: ['*'], provider: 'anthropic', baseUrl: url, toolSearch: 'upstream' };
    const { anthropic } = await configured(upstream);
    await anthropic.messages.create(ASK);
    expect(requests.map(({ body }) => body)).toEqual([ASK]);
  });

  it('a host without references gets the definitions that were found', async () => {
    const { url, requests } = await anthropicHost([
      message([{ call: SEARCH.name, id: 'toolu_1', input: SEARCH.input }], 'tool_use'),
      message([{ text: 'Ok.' }], 'end_turn'),
    ]);
    const { anthropic } = await configured({ models: ['*'], provider: 'anthropic', baseUrl: url, references: false });
    await anthropic.messages.create(ASK);
    expect(JSON.stringify(requests)).not.toMatch(/defer_loading|tool_reference"/);
    expect(requests[1]?.body.tools?.map(({ name }) => name)).toEqual(['tool_search_tool_bm25', 'get_weather']);
  });

  it('asks an Anthropic host how many tokens there are', async () => {
    const { url, requests } = await anthropicHost([]);
    const { anthropic } = await configured({
      models: ['*'],
      provider: 'anthropic',
      baseUrl: url,
      apiKey: 'sk-upstream',
    });
    const { max_tokens: _, ...counted } = ASK;
    expect(await anthropic.messages.countTokens(counted)).toMatchObject({ input_tokens: 77 });
    expect(requests[0]?.path).toBe('/v1/messages/count_tokens');
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer sk-upstream' });
    expect(requests[0]?.body.tools?.map(({ name }) => name)).toEqual(['tool_search_tool_bm25']);
  });

  it('sends the headers of its settings, and the credential of a client only where it is not a key of its own', async () => {
    const ok = message([{ text: 'Ok.' }], 'end_turn');
    const { url, requests } = await anthropicHost([ok, ok]);
    const upstream = {
      ...{ models: ['*'], provider: 'anthropic', baseUrl: url },
      ...{ headers: { 'x-team': 'blue' }, forwardsAuthorization: true },
    };
    const open = await configured(upstream);
    await open.post('/v1/messages', ASK, { 'x-api-key': 'sk-theirs', 'x-team': 'red' });
    const keyed = await configured(upstream, { keys: [{ name: 'one', key: 'qm_secret' }] });
    await keyed.post('/v1/messages', ASK, { 'x-api-key': 'qm_secret' });
    expect(requests.map(({ headers }) => [headers['x-team'], headers['x-api-key']])).toEqual([
      ['blue', 'sk-theirs'],
      ['blue', undefined],
    ]);
  });

  it('says why there is no model, where no host tells', async () => {
    const upstream = { models: ['*'], provider: 'anthropic', baseUrl: 'http://127.0.0.1:9', apiKey: 'sk-1' };
    const { url } = await configured(upstream);
    const response = await fetch(`${url}/v1/models`, { headers: { 'anthropic-version': '2023-06-01' } });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      error: { type: 'api_error', message: expect.stringMatching(/^No upstream listed .* anthropic: /) },
    });
  });

  it('refuses a cache breakpoint on a deferred tool only in strict mode', async () => {
    const upstream = { models: ['*'], provider: 'rehearsal' };
    const [search, weather] = TOOLS;
    const request = { ...ASK, tools: [search, { ...weather, cache_control: { type: 'ephemeral' } }] };
    const lenient = await configured(upstream);
    expect((await lenient.post('/v1/messages', request)).status).toBe(200);
    const strict = await configured(upstream, { strict: true });
    const response = await strict.post('/v1/messages', request);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        message:
          "Tool 'get_weather' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.",
      },
    });
  });

  it('pauses after as many rounds as its settings allow, and gives addresses that clients can reach', async () => {
    const { url: host } = await anthropicHost([
      message([{ call: SEARCH.name, id: 's', input: SEARCH.input }], 'tool_use'),
    ]);
    const listen = { publicUrl: 'https://models.example.com/' };
    const limits = { rounds: 1, batchConcurrency: 0 };
    const upstream = { models: ['*'], provider: 'anthropic', baseUrl: host, apiKey: 'sk-1' };
    const { anthropic, store } = await configured(upstream, { listen, limits });
    expect((await anthropic.messages.create(ASK)).stop_reason).toBe('pause_turn');
    const { id } = await anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params: ASK }] });
    for (const lease of await store.batches.claim({ limit: 1, leaseMs: 1000 })) {
      await store.batches.complete(lease, { outcome: 'canceled', result: '{"type":"canceled"}' });
    }
    const { results_url } = await anthropic.messages.batches.retrieve(id);
    expect(results_url).toBe(`https://models.example.com/v1/messages/batches/${id}/results`);
  });

  it('keys of the configuration are needed, and held to their models', async () => {
    const upstream = { models: ['*'], provider: 'rehearsal' };
    const { post } = await configured(upstream, { keys: [{ name: 'one', key: 'qm_secret', models: ['claude-*'] }] });
    const status = async (key: string, model: string) =>
      (await post('/v1/messages', { ...ASK, model }, { 'x-api-key': key })).status;
    expect(await status('qm_wrong', 'claude-test')).toBe(401);
    expect(await status('qm_secret', 'claude-test')).toBe(200);
    expect(await status('qm_secret', 'gpt-test')).toBe(403);
  });
});

describe('what a host has besides answers of models', () => {
  const EMBEDDING = { object: 'list', data: [], model: 'embed', usage: { prompt_tokens: 3, total_tokens: 3 } };

  it('is asked of the host of the model, as it came, and its tokens count', async () => {
    const { url, requests } = await host(() => JSON.stringify(EMBEDDING));
    const upstream = { models: ['*'], provider: 'openai-compatible', baseUrl: `${url}/v1`, apiKey: 'sk-upstream' };
    const { openai, log } = await configured(upstream);
    const request = { model: 'embed', input: ['a', 'b'], encoding_format: 'float' as const };
    expect(await openai.embeddings.create(request)).toMatchObject(EMBEDDING);
    expect(requests).toMatchObject([{ body: request, headers: { authorization: 'Bearer sk-upstream' } }]);
    await expect.poll(() => log.at(-1)).toMatchObject({ route: 'host', model: 'embed', inputTokens: 3 });
    await expect(openai.files.list()).rejects.toThrow('set files: true');
    expect(requests).toHaveLength(1);
  });

  it.each([{ files: true, apiKey: 'sk-upstream' }, { forwardsAuthorization: true }])(
    'includes its files, where clients may share them or have their own: %o',
    async (settings) => {
      const { url, requests } = await host(() => JSON.stringify({ id: 'file_1', object: 'file', data: [] }));
      const { openai } = await configured({ models: ['*'], provider: 'openai', baseUrl: `${url}/v1`, ...settings });
      const file = new File(['{}'], 'batch.jsonl');
      expect(await openai.files.create({ file, purpose: 'batch' })).toMatchObject({ id: 'file_1' });
      await openai.files.list({ limit: 2 });
      await openai.files.content('file_1');
      await openai.files.delete('file_1');
      expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'POST /v1/files',
        'GET /v1/files?limit=2',
        'GET /v1/files/file_1/content',
        'DELETE /v1/files/file_1',
      ]);
      expect(requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
      const key = 'apiKey' in settings ? settings.apiKey : 'none';
      expect(requests.every(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true);
    },
  );

  it('includes what else OpenAI’s clients keep there', async () => {
    const { url, requests } = await host(() => JSON.stringify({ id: 'vs_1', object: 'any', data: [] }));
    const upstream = { models: ['*'], provider: 'openai', baseUrl: `${url}/v1`, apiKey: 'sk-upstream', files: true };
    const { openai, url: gateway } = await configured(upstream);
    await openai.vectorStores.create({ name: 'a' });
    await openai.vectorStores.search('vs_1', { query: 'b' });
    await openai.vectorStores.delete('vs_1');
    await openai.uploads.create({ bytes: 1, filename: 'a', mime_type: 'text/plain', purpose: 'batch' });
    await openai.batches.list({ limit: 1 });
    await openai.batches.create({ input_file_id: 'f', endpoint: '/v1/responses', completion_window: '24h' });
    await openai.fineTuning.jobs.cancel('ft_1');
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/vector_stores',
      'POST /v1/vector_stores/vs_1/search',
      'DELETE /v1/vector_stores/vs_1',
      'POST /v1/uploads',
      'GET /v1/batches?limit=1',
      'POST /v1/batches',
      'POST /v1/fine_tuning/jobs/ft_1/cancel',
    ]);
    const trick = await fetch(`${gateway}/v1/vector_stores/..%2f..%2fv1%2ffiles`);
    expect([trick.status, requests.length]).toEqual([400, 7]);
  });

  it.each([{ models: ['gpt-*'] }, { models: ['*'], limits: { tokensPerDay: 1000 } }])(
    'except jobs that no limit of the key could hold: %o',
    async (rights) => {
      const { url, requests } = await host(() => JSON.stringify({ id: 'batch_1', object: 'batch' }));
      const upstream = { models: ['*'], provider: 'openai', baseUrl: `${url}/v1`, apiKey: 'sk-upstream', files: true };
      const { post } = await configured(upstream, { keys: [{ name: 'one', key: 'qm_secret', ...rights }] });
      for (const path of ['/v1/batches', '/v1/fine_tuning/jobs']) {
        const response = await post(path, {}, { authorization: 'Bearer qm_secret' });
        expect(response.status).toBe(403);
        expect(await response.json()).toMatchObject({
          error: { message: expect.stringContaining('/v1/messages/batches') },
        });
      }
      expect((await post('/v1/vector_stores', {}, { authorization: 'Bearer qm_secret' })).status).toBe(200);
      expect(requests).toHaveLength(1);
    },
  );

  it.each(['uploads', 'vector_stores', 'batches', 'fine_tuning/jobs'])(
    'is refused in OpenAI’s words where no host shares it: %s',
    async (path) => {
      const { post } = await configured({ models: ['*'], provider: 'rehearsal' });
      const response = await post(`/v1/${path}`, {});
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        error: expect.objectContaining({
          message: expect.stringContaining('files: true'),
        }),
      });
    },
  );

  it('counts tokens and compacts conversations of the Responses API', async () => {
    const { url, requests } = await host((_turn, _isStream, path) =>
      JSON.stringify(path.endsWith('/compact') ? { object: 'response.compaction' } : { input_tokens: 7 }),
    );
    const { openai } = await configured({ models: ['*'], provider: 'openai', baseUrl: `${url}/v1`, apiKey: 'sk-up' });
    const asked = { model: 'gpt-test', input: 'Hello' } as const;
    expect(await openai.responses.inputTokens.count(asked)).toMatchObject({ input_tokens: 7 });
    expect(await openai.responses.compact(asked)).toMatchObject({ object: 'response.compaction' });
    expect(requests.map(({ path }) => path)).toEqual(['/v1/responses/input_tokens', '/v1/responses/compact']);
  });

  it('includes forms with files, sent to the host of the model in them', async () => {
    const { url, requests } = await host(() => JSON.stringify({ text: 'Hello.', data: [] }));
    const upstream = { models: ['whisper-*', 'pictures'], provider: 'openai', baseUrl: `${url}/v1`, apiKey: 'sk-up' };
    const { openai, log } = await configured(upstream);
    const file = new File([new Uint8Array([0, 13, 10, 255])], 'hello.mp3');
    expect(await openai.audio.transcriptions.create({ file, model: 'whisper-1' })).toMatchObject({ text: 'Hello.' });
    await openai.audio.translations.create({ file, model: 'whisper-1' });
    await openai.images.edit({ image: file, prompt: 'Brighter', model: 'pictures' });
    await openai.images.createVariation({ image: file, model: 'pictures' });
    expect(requests.map(({ path }) => path)).toEqual([
      ...['/v1/audio/transcriptions', '/v1/audio/translations', '/v1/images/edits', '/v1/images/variations'],
    ]);
    expect(requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    await expect.poll(() => log.at(-1)).toMatchObject({ route: 'host', model: 'pictures' });
    await expect(openai.audio.transcriptions.create({ file, model: 'other' })).rejects.toMatchObject({ status: 404 });
    const unnamed = openai.audio.transcriptions.create({ file } as never);
    await expect(unnamed).rejects.toMatchObject({ status: 400, param: 'model' });
  });

  it('is refused with a reason where the host has none, and the host’s own refusal comes through', async () => {
    const { openai } = await configured({ models: ['*'], provider: 'rehearsal' });
    const request = { model: 'embed', input: 'a' };
    await expect(openai.embeddings.create(request)).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('has no /v1/embeddings'),
    });
    const { url } = await host(() => ({ status: 404, body: JSON.stringify({ error: { message: 'No such model' } }) }));
    const other = await configured({ models: ['*'], provider: 'openai-compatible', baseUrl: url });
    await expect(other.openai.embeddings.create(request)).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('No such model'),
    });
  });
});
