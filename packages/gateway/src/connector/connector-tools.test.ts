import { describe, expect, it } from 'vitest';
import { message } from '../scripted-upstream.fixture.ts';
import { ASK, namesOf } from '../weather-request.fixture.ts';
import {
  asking,
  type Beta,
  CALL_THEN_TELL,
  CLOCK_TOOL,
  connected,
  methodsOf,
  serverAt,
  toolset,
  typesOf,
} from './connector.fixture.ts';

describe('the tools of a server', () => {
  const ok = [message([{ text: 'Ok.' }], 'end_turn')];

  it.each([
    ['all when nothing is said', {}, ['crm_search_contacts', 'crm_delete_contact']],
    [
      'without those that are switched off',
      { configs: { delete_contact: { enabled: false } } },
      ['crm_search_contacts'],
    ],
    [
      'those that are switched on where the default is off',
      { default_config: { enabled: false }, configs: { delete_contact: { enabled: true } } },
      ['crm_delete_contact'],
    ],
    ['as they were pinned', { tools: [{ name: 'pinned', input_schema: { type: 'object' } }] }, ['crm_pinned']],
  ])('are %s', async (_, config, expected) => {
    const { create, crm, upstreams } = await connected(ok);
    await create(asking(crm.url, { tools: [CLOCK_TOOL, toolset(config)] }));
    expect(namesOf(upstreams.requests[0])).toEqual(['now', ...expected]);
  });

  it('are listed once for several requests of a conversation, and not again for a while', async () => {
    const { create, crm } = await connected([...ok, ...ok, ...CALL_THEN_TELL]);
    await create(asking(crm.url));
    await create(asking(crm.url));
    expect(methodsOf(crm).filter((method) => method === 'tools/list')).toHaveLength(1);
    // Another token may see other tools.
    await create(asking(crm.url, { mcp_servers: [serverAt(crm.url, { authorization_token: 'other' })] }));
    expect(methodsOf(crm)).toContain('tools/call');
  });

  it('come as a block where the client can send it back, and then the server is not asked', async () => {
    const { create, crm } = await connected([...ok, ...ok]);
    const betas: Beta['betas'] = ['mcp-client-2026-09-15'];
    const request = asking(crm.url, { betas });
    const { content } = await create(request);
    expect(content[0]).toMatchObject({
      type: 'mcp_tool_listing',
      mcp_server_name: 'crm',
      tools: [{ name: 'search_contacts', description: 'Search contacts by name' }, { name: 'delete_contact' }],
    });
    const before = crm.requests.length;
    const messages = [
      ...request.messages,
      { role: 'assistant', content } as never,
      { role: 'user', content: 'Go on.' } as never,
    ];
    const mcp_servers = [serverAt(crm.url, { authorization_token: 'never seen before' })];
    const again = await create({ ...request, messages, mcp_servers });
    expect(typesOf(again)).toEqual(['text']);
    expect(crm.requests).toHaveLength(before);
  });

  it('need no toolset in the first form of the API', async () => {
    const { create, crm, upstreams } = await connected(ok);
    const server = serverAt(crm.url, { tool_configuration: { allowed_tools: ['search_contacts'] } });
    await create({ ...ASK, mcp_servers: [server], betas: ['mcp-client-2025-04-04'] } as Beta);
    expect(namesOf(upstreams.requests[0])).toEqual(['crm_search_contacts']);
  });

  it('are deferred field by field: their own word, then the default', async () => {
    const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const;
    const { create, crm, upstreams } = await connected(ok);
    const default_config = { enabled: false, defer_loading: true };
    const configs = { search_contacts: { enabled: true }, delete_contact: { enabled: true, defer_loading: false } };
    await create(asking(crm.url, { tools: [search, toolset({ default_config, configs })] }));
    expect(namesOf(upstreams.requests[0])).toEqual(['tool_search_tool_bm25', 'crm_delete_contact']);
  });

  it.each([
    ['by the beta alone', {}, ['crm_search_contacts', 'crm_delete_contact']],
    ['switched off', { tool_configuration: { enabled: false } }, undefined],
  ])('of the first form are there %s', async (_, more, expected) => {
    const { create, crm, upstreams } = await connected(ok);
    await create({ ...ASK, mcp_servers: [serverAt(crm.url, more)], betas: ['mcp-client-2025-04-04'] } as Beta);
    expect(namesOf(upstreams.requests[0])).toEqual(expected);
  });

  it('are counted with the others', async () => {
    const { anthropic, crm } = await connected(ok);
    const { max_tokens: _, ...plain } = ASK;
    const count = async (more: object) =>
      (await anthropic.beta.messages.countTokens({ ...plain, ...more } as never)).input_tokens;
    const alone = await count({});
    const full = { mcp_servers: [serverAt(crm.url)], tools: [toolset()] };
    expect(await count(full)).toBeGreaterThan(alone + 20);
  });

  it('keep a cache breakpoint away from deferred tools', async () => {
    const { create, crm, upstreams } = await connected(ok, { transport: 'anthropic-messages' });
    const configs = { delete_contact: { defer_loading: true } };
    await create(asking(crm.url, { tools: [toolset({ configs, cache_control: { type: 'ephemeral' } })] }));
    const [first, second] = upstreams.requests[0]?.tools ?? [];
    expect(first).toMatchObject({ name: 'crm_search_contacts', cache_control: { type: 'ephemeral' } });
    expect(second ?? {}).not.toHaveProperty('cache_control');
  });
});
