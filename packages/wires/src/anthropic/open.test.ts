import { CatalogError } from '@quartermaster/core/errors';
import { describe, expect, it } from 'vitest';
import { anthropicWire, createAnthropicWire } from './anthropic-dialect.ts';
import { conversation } from './message-script.fixture.ts';
import { definition, reference, toolResult, toolUse } from './rendered.fixture.ts';

const ASK = [{ role: 'user', content: 'Hello' }];

describe('open', () => {
  it.each([
    ['tool_search_tool_regex_20251119', 'regex', 'tool_search_tool_regex'],
    ['tool_search_tool_regex', 'regex', 'tool_search_tool_regex'],
    ['tool_search_tool_bm25_20251119', 'bm25', 'tool_search_tool_bm25'],
    ['tool_search_tool_bm25', 'bm25', 'tool_search_tool_bm25'],
    ['openrouter:tool_search', 'bm25', 'tool_search_tool_bm25'],
    ['orq:tool_search', 'bm25', 'tool_search_tool_bm25'],
    ['tool_search', 'bm25', 'tool_search_tool_bm25'],
  ])('reads %s as a search tool, its name from the type', (type, engine, name) => {
    const opened = anthropicWire.open(conversation(ASK, { tools: [{ type }, definition('a', { deferred: true })] }));
    expect(opened.search).toEqual({ kind: 'hosted', engine, name });
    expect(opened.tools.map((tool) => tool.name)).toEqual(['a']);
  });

  it('uses the first of two search tools', () => {
    const tools = [{ type: 'tool_search_tool_bm25' }, { type: 'tool_search_tool_regex' }];
    expect(anthropicWire.open(conversation(ASK, { tools })).search).toMatchObject({ engine: 'bm25' });
  });

  it('reads marks as policies, and a tool without one as never deferred', () => {
    const tools = [definition('a', { deferred: true }), { ...definition('b'), defer_loading: false }, definition('c')];
    const policies = (wire = anthropicWire) => wire.open(conversation(ASK, { tools })).tools.map((tool) => tool.policy);
    expect(policies()).toEqual(['always', 'never', 'never']);
    expect(policies(createAnthropicWire({ missingDeferral: 'automatic' }))).toEqual(['always', 'never', 'automatic']);
  });

  it('sees a client that searches by itself in its references, with the name of its search tool', () => {
    const messages = [
      ...ASK,
      { role: 'assistant', content: [toolUse('t1', 'ToolSearch', { query: 'a' })] },
      { role: 'user', content: [toolResult('t1', [reference('a')])] },
    ];
    const opened = anthropicWire.open(conversation(messages, { tools: [definition('ToolSearch')] }));
    expect(opened.search).toEqual({ kind: 'client', name: 'ToolSearch' });
  });

  it('sees a client that searches by itself in deferred tools without a search tool', () => {
    const tools = [definition('ToolSearch'), definition('DeferredToolPlaceholder', { deferred: true })];
    const request = conversation(ASK, { tools });
    expect(anthropicWire.open(request).search).toEqual({ kind: 'client' });
    expect(createAnthropicWire({ deferredAlone: 'ours' }).open(request).search).toBeUndefined();
    expect(anthropicWire.open(conversation(ASK, { tools: [definition('a')] })).search).toBeUndefined();
  });

  it('finds the latest text of the user’s, past messages that only answer calls', () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'First' }] },
      { role: 'assistant', content: [toolUse('t1', 'a')] },
      { role: 'user', content: [toolResult('t1')] },
      { role: 'system', content: 'Not the user' },
    ];
    expect(anthropicWire.open(conversation(messages)).userText).toBe('First');
    expect(anthropicWire.open(conversation([{ role: 'user', content: [] }])).userText).toBeUndefined();
  });

  it('says whether a stream was asked for, and of which model', () => {
    expect(anthropicWire.open(conversation(ASK, { stream: true }))).toMatchObject({
      stream: true,
      model: 'some-model',
    });
    expect(anthropicWire.open(conversation(ASK)).stream).toBe(false);
  });

  it('keeps tools that Anthropic defines, toolsets included', () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'mcp_toolset', mcp_server_name: 'crm' },
    ];
    expect(anthropicWire.open(conversation(ASK, { tools })).tools.map((tool) => tool.extras.providerType)).toEqual([
      'bash_20250124',
      'mcp_toolset',
    ]);
  });

  it('refuses a definition that it can’t read, rather than lose a tool', () => {
    expect(() => anthropicWire.open(conversation(ASK, { tools: [{ description: 'no name' }] }))).toThrow(CatalogError);
  });
});

it('refuses a search tool of a version that is not known', () => {
  const tools = [{ type: 'tool_search_tool_bm25_20270101', name: 'tool_search_tool_bm25' }];
  expect(() => anthropicWire.open({ messages: [], tools })).toThrow('tool_search_tool_bm25_20270101');
});
