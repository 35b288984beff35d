import { defined } from '@quartermaster/core/internal';
import { afterEach, describe, expect, it } from 'vitest';
import type { UpstreamSettings } from '../../config/index.ts';
import { type ManualClock, manualClock } from '../manual-clock.fixture.ts';
import { type ScriptedServer, type ServerTurn, startServer } from '../scripted-server.fixture.ts';
import { listModels } from './list-models.ts';

const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(...turns: readonly ServerTurn[]): Promise<ScriptedServer> {
  const server = await startServer(turns);
  servers.push(server);
  return server;
}

function settings(
  provider: UpstreamSettings['provider'],
  models: readonly string[],
  baseUrl?: string,
): UpstreamSettings {
  return { models, provider, toolSearch: 'local', ...defined({ baseUrl }) };
}

/** A clock that tells when the first of those who wait by it has no longer to. */
function watchedClock(): { readonly clock: ManualClock; readonly someoneDone: Promise<void> } {
  const clock = manualClock();
  let tell: () => void = () => undefined;
  const someoneDone = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const after: ManualClock['after'] = (delayMs, run) => {
    const cancel = clock.after(delayMs, run);
    return () => {
      cancel();
      tell();
    };
  };
  return { clock: { ...clock, after }, someoneDone };
}

describe('the list of models', () => {
  it('is requested with the headers of the upstream, which override the defaults', async () => {
    const host = await serve({ body: { data: [{ id: 'claude-a' }] } });
    const upstream = settings('anthropic', ['claude-*'], host.url);
    const headers = { 'x-team': 'blue', 'anthropic-version': '2026-10-21' };
    await listModels([{ ...upstream, apiKey: 'sk-1', headers }]);
    expect(host.requests[0]?.headers).toMatchObject({ ...headers, 'x-api-key': 'sk-1' });
  });

  it('joins all upstreams, each model once and under the one that serves it', async () => {
    const anthropic = await serve(
      {
        body: {
          data: [
            {
              id: 'claude-a',
              display_name: 'Claude A',
              created_at: '2026-01-01T00:00:00Z',
              max_input_tokens: 1_000_000,
              max_tokens: 64_000,
            },
          ],
          has_more: true,
          last_id: 'claude-a',
        },
      },
      { body: { data: [{ id: 'claude-b' }, { id: 'secret-model' }], has_more: false } },
    );
    const host = await serve({
      body: {
        data: [
          { id: 'claude-a', created: 1 },
          { id: 'llama', created: 1_700_000_000, max_model_len: 32_000 },
          { odd: 1 },
          7,
        ],
      },
    });
    const { models, problems } = await listModels(
      [
        settings('anthropic', ['claude-*'], anthropic.url),
        settings('openai-compatible', ['*'], `${host.url}/v1`),
        settings('rehearsal', ['rehearsal', 'demo']),
      ],
      { env: { ANTHROPIC_API_KEY: 'key' } },
    );
    expect(problems).toEqual([]);
    expect(models).toEqual([
      {
        id: 'claude-a',
        provider: 'anthropic',
        displayName: 'Claude A',
        createdAt: '2026-01-01T00:00:00Z',
        limits: { contextTokens: 1_000_000, source: 'upstream' },
        maxOutputTokens: 64_000,
      },
      { id: 'claude-b', provider: 'anthropic', limits: { contextTokens: 200_000, source: 'table' } },
      {
        id: 'llama',
        provider: 'openai-compatible',
        createdAt: '2023-11-14T22:13:20.000Z',
        limits: { contextTokens: 32_000, source: 'upstream' },
      },
    ]);
    expect(anthropic.requests.map(({ url }) => url)).toEqual([
      '/v1/models?limit=1000',
      '/v1/models?limit=1000&after_id=claude-a',
    ]);
    expect(anthropic.requests[0]?.headers['x-api-key']).toBe('key');
    expect(host.requests[0]?.url).toBe('/v1/models');
  });

  it('contains the models of the settings, whether or not the upstream lists them', async () => {
    const { models } = await listModels([
      settings('amazon-bedrock', ['nova-pro', 'nova-*']),
      settings('rehearsal', ['*']),
    ]);
    expect(models.map(({ id, provider }) => [id, provider])).toEqual([
      ['nova-pro', 'amazon-bedrock'],
      ['rehearsal', 'rehearsal'],
    ]);
  });

  it('omits an upstream that fails, and reports it', async () => {
    const host = await serve({ status: 500, body: { error: { message: 'Broken' } } });
    const { models, problems } = await listModels([
      settings('openai-compatible', ['llama'], host.url),
      settings('rehearsal', ['*']),
    ]);
    expect(models.map(({ id }) => id)).toEqual(['llama', 'rehearsal']);
    expect(problems).toEqual([
      { provider: 'openai-compatible', message: 'The upstream answered with status 500: Broken' },
    ]);
  });

  it('says why an upstream cannot be reached', async () => {
    const cause = new AggregateError([new Error('connect ECONNREFUSED ::1:11434')]);
    const { problems } = await listModels([settings('openai-compatible', ['llama*'], 'http://localhost:11434/v1')], {
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
    });
    expect(problems).toEqual([{ provider: 'openai-compatible', message: 'connect ECONNREFUSED ::1:11434' }]);
  });

  it.each<[string, ServerTurn]>([
    ['sends nothing', { after: 'hang' }],
    ['begins its list and sends no more', { chunks: ['{"data":['], after: 'hang' }],
  ])('omits an upstream that %s, and reports it after the timeout', async (_what, turn) => {
    const [silent, host] = await Promise.all([serve(turn), serve({ body: { data: [{ id: 'llama' }] } })]);
    const { clock, someoneDone } = watchedClock();
    const listed = listModels(
      [
        settings('openai-compatible', ['mute', 'mute-*'], silent.url),
        settings('openai-compatible', ['llama*'], host.url),
      ],
      { clock },
    );
    await Promise.all([silent.received(1), someoneDone]);
    clock.pass(10_000);
    const { models, problems } = await listed;
    expect(models.map(({ id }) => id)).toEqual(['mute', 'llama']);
    expect(problems).toEqual([
      { provider: 'openai-compatible', message: 'The upstream sent no list of its models in 10000 ms' },
    ]);
  });

  it("reads Google's", async () => {
    const google = await serve({
      body: {
        models: [
          { name: 'models/gemini-3-pro', displayName: 'Gemini 3', inputTokenLimit: 9_000, outputTokenLimit: 100 },
        ],
      },
    });
    const { models } = await listModels([settings('google', ['gemini-*'], `${google.url}/v1beta`)]);
    expect(models).toEqual([
      {
        id: 'gemini-3-pro',
        provider: 'google',
        displayName: 'Gemini 3',
        limits: { contextTokens: 9_000, source: 'upstream' },
        maxOutputTokens: 100,
      },
    ]);
  });

  it('is cancelled when the client disconnects', async () => {
    const upstreams = [settings('openai-compatible', ['*'], 'http://127.0.0.1:1')];
    await expect(listModels(upstreams, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  });
});
