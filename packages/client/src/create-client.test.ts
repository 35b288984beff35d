import { describe, expect, it } from 'vitest';
import { ApiFailure } from './api-failure.ts';
import { createClient } from './create-client.ts';

function answering(response: () => Response) {
  const asked: Request[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    asked.push(new Request(input, init));
    return response();
  };
  return { asked, client: createClient({ baseUrl: 'http://gateway/', apiKey: () => 'secret', fetch }) };
}

describe('a client', () => {
  it('fills in the path and the query, and sends the key', async () => {
    const { asked, client } = answering(() => Response.json({ data: [] }));
    await client.request('GET /v1/activity', { query: { limit: 5, outcome: 'nothing' } });
    await client.request('DELETE /v1/keys/{id}', { path: { id: 'a/b' } });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET http://gateway/v1/activity?limit=5&outcome=nothing',
      'DELETE http://gateway/v1/keys/a%2Fb',
    ]);
    expect(asked[0]?.headers.get('x-api-key')).toBe('secret');
  });

  it('throws what the gateway says went wrong, with its status', async () => {
    const { client } = answering(() => Response.json({ error: { message: 'no such key' } }, { status: 404 }));
    const failure = await client.request('GET /v1/keys').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiFailure);
    expect(failure).toMatchObject({ status: 404, message: 'no such key' });
  });

  it('follows requests, and reports what was missed and what happens to servers', async () => {
    const change = { kind: 'server-change', server: 'mail', state: 'down', toolCount: 0 };
    const body = [
      ': live\n\nevent: missed\ndata: 3\n\n',
      'event: request\ndata: {"id":"req_1"}\n\n',
      `event: server\ndata: ${JSON.stringify(change)}\n\n`,
      'event: of another version\ndata: x\n\n',
    ].join('');
    const { client, asked } = answering(() => new Response(body));
    const told: unknown[] = [];
    const records: unknown[] = [];
    const following = client.follow({
      onOpen: () => told.push('open'),
      onMissed: (count) => told.push(count),
      onServer: (notice) => told.push(notice),
    });
    for await (const record of following) records.push(record);
    expect(records).toEqual([{ id: 'req_1' }]);
    expect(told).toEqual(['open', 3, change]);
    expect(asked[0]?.url).toBe('http://gateway/v1/activity/live');
  });
});
