import { SettingError } from '@quartermaster/core/errors';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { UpstreamSettings } from '../../config/index.ts';
import { DIALECTS, type DialectName } from '../dialect.ts';
import { SAMPLES } from '../dialect-samples.fixture.ts';
import { eventChunks, type ScriptedServer, startServer } from '../scripted-server.fixture.ts';
import { collect } from '../upstream-contract.fixture.ts';
import { resolveUpstream, type UpstreamEnvironment } from './resolve-upstream.ts';

const { signal } = new AbortController();

function settings(models: readonly string[], more: Partial<UpstreamSettings> = {}): UpstreamSettings {
  return { models, provider: 'anthropic', toolSearch: 'local', ...more };
}

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

describe('which upstream', () => {
  const list = [
    settings(['claude-opus-*'], { contextTokens: 5_000 }),
    settings(['claude-*', 'gpt-5.4'], { provider: 'openai' }),
    settings(['*'], { provider: 'rehearsal' }),
  ];

  it.each([
    ['claude-opus-5', 0],
    ['claude-sonnet-5', 1],
    ['gpt-5.4', 1],
    ['gpt-5.4-mini', 2],
    ['', 2],
  ])('serves %s is the first whose pattern fits', (model, index) => {
    expect(resolveUpstream(list, model)?.settings).toBe(list[index]);
  });

  it('may be none', () => {
    expect(resolveUpstream(list.slice(0, 2), 'llama')).toBeUndefined();
  });

  it.each([
    ['claude-opus-5', { contextTokens: 5_000, source: 'override' }],
    ['gpt-5.4', { contextTokens: 400_000, source: 'table' }],
    ['nobody-knows', { contextTokens: 128_000, source: 'default' }],
  ])('has a window for %s', (model, limits) => {
    expect(resolveUpstream(list, model)?.limits).toEqual(limits);
  });
});

describe('what it can carry', () => {
  it.each<[string, Partial<UpstreamSettings>, object]>([
    ['Anthropic', {}, { references: true, deferMark: true }],
    ['a host without references', { references: false }, { references: false, deferMark: false, hostedSearch: [] }],
    ['a translated provider', { provider: 'google' }, { references: false, deferMark: false }],
    ['a rehearsal', { provider: 'rehearsal' }, { references: true }],
  ])('is known for %s before anything is built', (_what, more, expected) => {
    const resolved = resolveUpstream([settings(['*'], more)], 'claude-sonnet-5');
    expect(resolved?.capabilities('anthropic')).toMatchObject(expected);
  });

  it('follows the settings for an unknown model', () => {
    const upstreams = [settings(['*'], { references: true })];
    expect(resolveUpstream(upstreams, 'claude-3-haiku')?.capabilities('anthropic').references).toBe(true);
  });
});

describe('building', () => {
  it.each([
    ['anthropic', 'anthropic', 'anthropic-messages'],
    ['anthropic', 'openai-chat', 'ai-sdk'],
    ['openai', 'openai-chat', 'openai-chat'],
    ['openai', 'openai-responses', 'openai-responses'],
    ['openai', 'anthropic', 'ai-sdk'],
    ['openai-compatible', 'openai-chat', 'openai-chat'],
    ['openai-compatible', 'openai-responses', 'ai-sdk'],
    ['google', 'anthropic', 'ai-sdk'],
    ['amazon-bedrock', 'anthropic', 'ai-sdk'],
    ['rehearsal', 'openai-responses', 'openai-responses'],
  ] as const)('%s for a client of %s gives the transport %s', async (provider, dialect, transport) => {
    const given = settings(['*'], { provider, apiKey: 'key', baseUrl: 'http://127.0.0.1:1/v1' });
    const resolved = resolveUpstream([given], 'm', { env: { AWS_REGION: 'eu-north-1' } });
    const upstream = await resolved?.for(dialect);
    expect(upstream).toMatchObject({ dialect, transport });
  });

  it('names the missing package, every time', async () => {
    const missing = Object.assign(new Error("Cannot find package '@ai-sdk/mistral' imported from here"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    let attempts = 0;
    const load = async (): Promise<unknown> => {
      attempts += 1;
      throw missing;
    };
    const resolved = resolveUpstream([settings(['*'], { provider: 'mistral' })], 'm', { load });
    const built = resolved?.for('anthropic');
    await expect(built).rejects.toBeInstanceOf(SettingError);
    await expect(built).rejects.toThrow(
      'The provider "mistral" needs the package @ai-sdk/mistral, which is not installed. Install it: npm install @ai-sdk/mistral',
    );
    await expect(resolved?.for('anthropic')).rejects.toThrow('npm install');
    expect(attempts).toBe(2);
  });

  it('does not find a package that is not installed', async () => {
    const resolved = resolveUpstream([settings(['*'], { provider: 'cerebras', apiKey: 'key' })], 'm');
    await expect(resolved?.for('anthropic')).rejects.toThrow('npm install @ai-sdk/cerebras');
  });

  it.each<[string, unknown, string]>([
    ['no function for it', {}, 'has no function that creates'],
    [
      'an older interface',
      { createGroq: () => ({ languageModel: () => ({ specificationVersion: 'v2' }) }) },
      'Update it',
    ],
  ])('reports a package with %s', async (_what, module, message) => {
    const environment = { load: async () => module };
    const resolved = resolveUpstream([settings(['*'], { provider: 'groq' })], 'm', environment);
    await expect(resolved?.for('anthropic')).rejects.toThrow(message);
  });

  it('reports a missing address', async () => {
    const resolved = resolveUpstream([settings(['*'], { provider: 'openai-compatible' })], 'm');
    await expect(resolved?.for('anthropic')).rejects.toThrow('baseUrl is missing');
  });

  it('imports nothing for an unknown provider', async () => {
    const provider = '../../etc' as UpstreamSettings['provider'];
    const resolved = resolveUpstream([settings(['*'], { provider })], 'm');
    await expect(resolved?.for('anthropic')).rejects.toThrow('allowed: the name of a provider');
  });
});

describe('asking', () => {
  it('uses the key of the environment if the settings have none', async () => {
    server = await startServer([{ chunks: eventChunks(SAMPLES.anthropic.parts, { isNamed: true }) }]);
    const upstreams = [settings(['*'], { baseUrl: server.url })];
    const upstream = await resolveUpstream(upstreams, 'm', { env: { ANTHROPIC_API_KEY: 'from env' } })?.for(
      'anthropic',
    );
    if (upstream === undefined) throw new Error('There is no upstream');
    await collect(upstream.stream(SAMPLES.anthropic.request, signal));
    expect(server.requests[0]?.headers['x-api-key']).toBe('from env');
  });

  it('goes through the installed package for a compatible host, in any dialect', async () => {
    const chunks = [...eventChunks(SAMPLES['openai-chat'].parts), 'data: [DONE]\n\n'];
    server = await startServer([{ chunks }]);
    const given = settings(['*'], { provider: 'openai-compatible', baseUrl: `${server.url}/v1`, apiKey: 'key' });
    const upstream = await resolveUpstream([given], 'sample-model')?.for('anthropic');
    if (upstream === undefined) throw new Error('There is no upstream');
    const parts = await collect(upstream.stream(SAMPLES.anthropic.request, signal));
    const response = DIALECTS.anthropic.whole.fromParts(parts);
    expect(SAMPLES.anthropic.received(response).calls).toMatchObject([
      { name: 'get_weather', input: { city: 'Oslo' } },
    ]);
    expect(server.requests[0]).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer key' },
      body: { model: 'sample-model', stream_options: { include_usage: true } },
    });
  });

  describe.each<[UpstreamSettings['provider'], DialectName]>([
    ['anthropic', 'openai-chat'],
    ['openai', 'anthropic'],
    ['openai-compatible', 'openai-responses'],
    ['google', 'anthropic'],
    ['amazon-bedrock', 'anthropic'],
  ])('%s through its package for a client of %s', (provider, dialect) => {
    const ask = async (baseUrl: string, environment: UpstreamEnvironment = {}): Promise<readonly unknown[]> => {
      const given = settings(['*'], { provider, baseUrl, apiKey: 'secret' });
      const env = { AWS_REGION: 'eu-north-1' };
      const resolved = resolveUpstream([given], 'm', { env, retries: { maxRetries: 0 }, ...environment });
      const upstream = await resolved?.for(dialect);
      if (upstream === undefined) throw new Error('There is no upstream');
      const asked = SAMPLES[dialect].request as never;
      const failed = (work: Promise<unknown>): Promise<unknown> =>
        work.then(
          () => 'no error',
          (thrown) => thrown,
        );
      return [await failed(upstream.whole(asked, signal)), await failed(collect(upstream.stream(asked, signal)))];
    };

    it('sends neither key nor prompt to the target of a redirect', async () => {
      const elsewhere = await startServer([{ body: {} }]);
      onTestFinished(() => elsewhere.stop());
      server = await startServer([{ status: 307, headers: { location: `${elsewhere.url}/steal` } }]);
      const told = {
        code: 'malformed',
        status: 502,
        message: `The upstream redirects to ${elsewhere.url}/steal with status 307: set baseUrl to where its API is`,
      };
      expect(await ask(server.url)).toMatchObject([told, told]);
      expect(server.requests).toHaveLength(2);
      expect(elsewhere.requests).toEqual([]);
    });

    it('reports an unreadable answer with status 200 as a failure of the host', async () => {
      server = await startServer([{ body: '<html>Sign in</html>' }]);
      expect((await ask(server.url))[0]).toMatchObject({ code: 'malformed', status: 502 });
    });
  });

  it('ends a stream whose event does not end, with a short error', async () => {
    const piece = new TextEncoder().encode('x'.repeat(1024 * 1024));
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(pieces === 0 ? new TextEncoder().encode('data: ') : piece);
        pieces += 1;
        if (pieces === 100) controller.close();
      },
    });
    const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const given = settings(['*'], { provider: 'openai-compatible', baseUrl: 'http://host/v1' });
    const upstream = await resolveUpstream([given], 'm', { fetch: async () => answer })?.for('anthropic');
    if (upstream === undefined) throw new Error('There is no upstream');
    await expect(collect(upstream.stream(SAMPLES.anthropic.request, signal))).rejects.toMatchObject({
      code: 'malformed',
      message: "An event of the upstream's stream is longer than 33554432 characters",
      isRetryable: false,
    });
    expect(pieces).toBeLessThan(50);
  });
});
