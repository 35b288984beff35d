import { BATCH_LIFETIME_MS, openStore } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';

const PARAMS = { model: 'claude-test', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const HELLO = message([{ text: 'Hello.' }], 'end_turn');

/** A gateway that leaves batches to others, over a store whose time is passed by hand. */
async function idleGateway(settings: object = {}) {
  let time = Date.parse('2026-11-01T00:00:00Z');
  const store = await openStore({ path: ':memory:', now: () => time });
  const gateway = await runningGateway({
    upstreams: scriptedUpstreams({ anthropic: [HELLO] }),
    store,
    settings: { batchConcurrency: 0, ...settings },
  });
  onTestFinished(async () => {
    await gateway.close();
    await store.close();
  });
  const pass = (ms: number): void => {
    time += ms;
  };
  const create = (count: number) =>
    gateway.anthropic.messages.batches.create({
      requests: Array.from({ length: count }, (_, index) => ({ custom_id: `item-${index}`, params: PARAMS })),
    });
  return { ...gateway, store, pass, create };
}

describe('the life of a batch', () => {
  it('ends after a day, with what is unfinished expired', async () => {
    const { anthropic, store, pass, create } = await idleGateway();
    const created = await create(3);
    expect(Date.parse(created.expires_at) - Date.parse(created.created_at)).toBe(BATCH_LIFETIME_MS);
    const [lease] = await store.batches.claim({ limit: 1, leaseMs: 1_000 });
    const result = JSON.stringify({ type: 'errored', error: { type: 'error', error: { type: 'api_error' } } });
    if (lease !== undefined) await store.batches.complete(lease, { outcome: 'errored', result });
    pass(BATCH_LIFETIME_MS);
    await store.sweep();
    expect(await anthropic.messages.batches.retrieve(created.id)).toMatchObject({
      processing_status: 'ended',
      request_counts: { processing: 0, succeeded: 0, errored: 1, canceled: 0, expired: 2 },
    });
    const types: string[] = [];
    for await (const { result } of await anthropic.messages.batches.results(created.id)) types.push(result.type);
    expect(types).toEqual(['errored', 'expired', 'expired']);
  });

  it('leads to its results at the address that clients have', async () => {
    const { anthropic, create } = await idleGateway({ publicUrl: 'https://gateway.example.com' });
    const { id } = await create(1);
    const { results_url: url } = await anthropic.messages.batches.cancel(id);
    expect(url).toBe(`https://gateway.example.com/v1/messages/batches/${id}/results`);
  });

  it('is one line of JSON for each request in the end', async () => {
    const { anthropic, create, url } = await idleGateway();
    const { id } = await create(50);
    await anthropic.messages.batches.cancel(id);
    const response = await fetch(`${url}/v1/messages/batches/${id}/results`);
    expect(response.headers.get('content-type')).toBe('application/x-jsonl');
    const text = await response.text();
    expect(text.endsWith('\n')).toBe(true);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual(
      Array.from({ length: 50 }, (_, index) => ({ custom_id: `item-${index}`, result: { type: 'canceled' } })),
    );
  });

  it('is found by its neighbours in the list', async () => {
    const { anthropic, create, pass } = await idleGateway();
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      ids.push((await create(1)).id);
      pass(1_000);
    }
    const [oldest = '', second, third = '', fourth, newest] = ids;
    const after = await anthropic.messages.batches.list({ after_id: third, limit: 1 });
    expect(after.data.map(({ id }) => id)).toEqual([second]);
    expect(after.has_more).toBe(true);
    const before = await anthropic.messages.batches.list({ before_id: third });
    expect(before.data.map(({ id }) => id)).toEqual([newest, fourth]);
    const none = await anthropic.messages.batches.list({ after_id: oldest });
    expect([none.data, none.first_id, none.last_id, none.has_more]).toEqual([[], null, null, false]);
  });

  it('is created through the beta namespace too', async () => {
    const { anthropic } = await idleGateway();
    const requests = [{ custom_id: 'a', params: PARAMS }];
    const batch = await anthropic.beta.messages.batches.create({
      requests,
      betas: ['never-heard-of-2030-01-01' as never],
    });
    expect(batch).toMatchObject({ type: 'message_batch', processing_status: 'in_progress' });
  });
});
