import { describe, expect, it, onTestFinished } from 'vitest';
import { writeSeal } from '../internal/seal.ts';
import { manualClock } from '../manual-clock.fixture.ts';
import { type ServerTurn, startServer } from '../scripted-server.fixture.ts';
import { countTokens } from './count-tokens.ts';

const REQUEST = { model: 'claude-test', messages: [{ role: 'user', content: 'Hello' }] };
const { signal } = new AbortController();

async function setUp(turns: readonly ServerTurn[]) {
  const server = await startServer(turns);
  onTestFinished(() => server.stop());
  const clock = manualClock({ instantBelowMs: 60_000 });
  const options = { baseUrl: server.url, apiKey: 'secret', retries: { clock, random: () => 0 } };
  return { server, clock, options };
}

describe('counting tokens', () => {
  it('sends the host the same request as for a response', async () => {
    const { server, options } = await setUp([{ body: { input_tokens: 42 } }]);
    const headers = new Headers({ 'anthropic-version': '2026-10-21', 'anthropic-beta': 'one', cookie: 'a=b' });
    expect(await countTokens(options, REQUEST, { headers, signal })).toBe(42);
    expect(server.requests).toMatchObject([{ url: '/v1/messages/count_tokens', body: REQUEST }]);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'anthropic-beta': 'one' });
    expect(server.requests[0]?.headers).not.toHaveProperty('cookie');
  });

  it('omits thoughts of another provider', async () => {
    const { server, options } = await setUp([{ body: { input_tokens: 1 } }]);
    const thought = { type: 'thinking', thinking: 'Hm', signature: writeSeal({ provider: 'google', metadata: {} }) };
    const messages = [...REQUEST.messages, { role: 'assistant', content: [thought, { type: 'text', text: 'Hi' }] }];
    await countTokens(options, { ...REQUEST, messages }, { signal });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('thinking');
  });

  it('retries if that may help', async () => {
    const busy = { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } } };
    const { server, options } = await setUp([busy, { body: { input_tokens: 7 } }]);
    expect(await countTokens(options, REQUEST, { signal })).toBe(7);
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, ServerTurn, object]>([
    ['refuses', { status: 404, body: { error: { message: 'No such path' } } }, { code: 'refused', status: 404 }],
    ['gives no number', { body: { tokens: 'many' } }, { code: 'malformed', status: 502 }],
    ['breaks off', { after: 'reset' }, { code: 'unreachable', status: 502 }],
  ])('fails if the host %s', async (_, turn, error) => {
    const { options } = await setUp([turn]);
    await expect(countTokens(options, REQUEST, { signal })).rejects.toMatchObject(error);
  });

  it('refuses a request that is nested too deeply, and sends nothing', async () => {
    const { server, options } = await setUp([{ body: { input_tokens: 1 } }]);
    const metadata = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    await expect(countTokens(options, { ...REQUEST, metadata }, { signal })).rejects.toMatchObject({
      name: 'RequestError',
      message: 'The request is nested too deeply',
    });
    expect(server.requests).toEqual([]);
  });

  it('times out', async () => {
    const { server, clock, options } = await setUp([{ after: 'hang' }]);
    const failed = expect(countTokens(options, REQUEST, { signal })).rejects.toMatchObject({ code: 'timed_out' });
    await server.received(1);
    clock.pass(300_000);
    await failed;
  });
});
