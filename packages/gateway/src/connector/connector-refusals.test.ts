import { describe, expect, it } from 'vitest';
import { runningGateway } from '../running-gateway.fixture.ts';
import { scriptedUpstreams } from '../scripted-upstream.fixture.ts';
import { asking, CLOCK_TOOL, connected, serverAt, THIS_MACHINE, toolset } from './connector.fixture.ts';

describe('what is refused', () => {
  const MANY = { type: 'url', name: 'other', url: 'https://other.example' };

  it.each([
    [
      'a toolset without its server',
      { mcp_servers: [], tools: [toolset()] },
      /mcp_server_name 'crm' has no corresponding/,
    ],
    ['a server without a toolset', { tools: [] }, /mcp_servers.0: MCP server 'crm' is not referenced/],
    ['two toolsets of one server', { tools: [toolset(), toolset()] }, /tools.1: .*more than one mcp_toolset/],
    [
      'two servers of one name',
      { mcp_servers: [serverAt('https://a.example'), serverAt('https://b.example')] },
      /unique/,
    ],
    ['a server of another type', { mcp_servers: [{ ...MANY, type: 'stdio' }] }, /mcp_servers.0.type/],
    ['no address', { mcp_servers: [serverAt('nowhere')] }, /mcp_servers.0.url: Input should be a valid URL/],
    [
      'a token that breaks out of its header',
      { mcp_servers: [serverAt('https://a.example', { authorization_token: 'a\nb' })] },
      /authorization_token/,
    ],
    ['a model that is no text', { model: { toString: 1 } }, /^model: /],
    ['servers that are no list', { mcp_servers: 'crm' }, /mcp_servers: Input should be a valid list/],
  ])('%s', async (_, more, expected) => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const response = await post('/v1/messages', { ...asking('https://crm.example'), ...more });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { type: string; message: string } };
    expect(error.type).toBe('invalid_request_error');
    expect(error.message).toMatch(expected);
  });

  it.each([
    'http://crm.example/mcp',
    'https://127.0.0.1/mcp',
    'https://localhost/mcp',
    'https://10.1.2.3/mcp',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/mcp',
    'https://[::ffff:127.0.0.1]/mcp',
    'https://2130706433/mcp',
    'https://user:secret@crm.example/mcp',
    'file:///etc/passwd',
  ])('by default the address %s', async (url) => {
    const { post } = await runningGateway({ upstreams: scriptedUpstreams({}) });
    const response = await post('/v1/messages', asking(url));
    expect(response.status).toBe(400);
    const body = await response.text();
    expect(body).toMatch(/does not connect to|does not resolve to a public address/);
    expect(body).not.toContain('secret');
  });

  it('a server that does not answer, or refuses the token', async () => {
    const gone = await connected([]);
    const reasons = { 503: /Connection error while communicating with MCP server 'crm'/, 401: /Authentication error/ };
    for (const [status, expected] of Object.entries(reasons)) {
      const { create, crm } = await connected([], { answer: () => new Response('no', { status: Number(status) }) });
      await expect(create(asking(crm.url))).rejects.toThrow(expected);
    }
    await expect(gone.create(asking('http://127.0.0.1:1/mcp'))).rejects.toThrow(/Connection error/);
  });

  it('a tool of the client by the name of a server’s', async () => {
    const { post, crm } = await connected([]);
    const tools = [{ ...CLOCK_TOOL, name: 'crm_search_contacts' }, toolset()];
    const response = await post('/v1/messages', asking(crm.url, { tools }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { details: { error_code: 'tool_name_conflict' } } });
  });

  it('everything where the connector is switched off', async () => {
    const { create, crm } = await connected([], { connector: { ...THIS_MACHINE, enabled: false } });
    await expect(create(asking(crm.url))).rejects.toThrow(/does not connect to servers that requests name/);
    expect(crm.requests).toHaveLength(0);
  });

  it('a token in a batch, where it would have to be stored', async () => {
    const { post, store } = await connected([]);
    const params = asking('https://crm.example', {
      mcp_servers: [serverAt('https://crm.example', { authorization_token: 'tok-123' })],
    });
    const response = await post('/v1/messages/batches', { requests: [{ custom_id: 'a', params }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('requests.0.params.mcp_servers') },
    });
    expect((await store.batches.list({ owner: '', limit: 10 }))?.batches).toEqual([]);
  });
});
