import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool, toolSearch } from 'ai';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { createSearch } from './create-search.ts';
import { loadFoundTools } from './load-found-tools.ts';
import { call, sampleToolSet, scriptedModel } from './scripted-model.fixture.ts';

const stopWhen = stepCountIs(5);

function deferredTools() {
  const { tools } = sampleToolSet();
  return {
    read_file: tools.read_file,
    create_issue: tool({ ...tools.create_issue, deferLoading: true }),
    send_message: tool({ ...tools.send_message, deferLoading: true }),
  };
}

describe('a search for toolSearch()', () => {
  it('is asked by `ai`, and what it names is declared in the next step', async () => {
    const model = scriptedModel([
      [call('a', 'search', { query: 'issue' })],
      [call('b', 'create_issue', { text: 'x' })],
      [{ type: 'text', text: 'Opened.' }],
    ]);
    const tools = { ...deferredTools(), search: toolSearch({ search: createSearch({ searcher: wordSearcher }) }) };
    const result = await generateText({ model, tools, stopWhen, prompt: 'Report it' });
    expect(result.text).toBe('Opened.');
    expect(model.requests.map(({ tools: declared }) => declared?.map(({ name }) => name))).toEqual([
      ['read_file', 'search'],
      ['read_file', 'create_issue', 'search'],
      ['read_file', 'create_issue', 'search'],
    ]);
  });

  it('names nothing when nothing fits', async () => {
    const search = createSearch({ searcher: wordSearcher });
    expect(
      await search({ query: 'weather', tools: [{ name: 'create_issue', description: 'Opens an issue.' }] }),
    ).toEqual([]);
  });

  it('searches by meaning if no searcher is given', async () => {
    const tools = [
      { name: 'release_room', description: 'Give a booked room back to everybody' },
      { name: 'refund_payment', description: 'Refund a payment in full or in part' },
    ];
    const found = await createSearch({ limit: 1 })({ query: 'give the customer his money back', tools });
    expect(found).toEqual(['refund_payment']);
  });

  it('knows parameters if it has the tools, and indexes a set of them once', async () => {
    const schemas: unknown[] = [];
    const search = createSearch({
      searcher: (snapshot) => {
        schemas.push(...snapshot.tools.map(({ schema }) => schema));
        return wordSearcher(snapshot);
      },
      tools: {
        go: tool({ inputSchema: jsonSchema({ type: 'object', properties: { latitude: { type: 'number' } } }) }),
      },
    });
    const tools = [{ name: 'go' }];
    await search({ query: 'go', tools });
    await search({ query: 'go', tools: [...tools] });
    expect(schemas).toEqual([{ type: 'object', properties: { latitude: { type: 'number' } } }]);
  });
});

describe('tools that messages have found', () => {
  it('are no longer deferred in the next call', async () => {
    const model = scriptedModel([
      [call('a', 'search', { query: 'issue' })],
      [{ type: 'text', text: 'There is one.' }],
      [{ type: 'text', text: 'Yes.' }],
    ]);
    const tools = { ...deferredTools(), search: toolSearch({ search: createSearch({ searcher: wordSearcher }) }) };
    const messages: ModelMessage[] = [{ role: 'user', content: 'Can you?' }];
    const first = await generateText({ model, tools, stopWhen, messages });
    messages.push(...first.responseMessages, { role: 'user', content: 'Really?' });
    await generateText({ model, tools: loadFoundTools(tools, messages), stopWhen, messages });
    expect(model.requests[2]?.tools?.map(({ name }) => name)).toEqual(['read_file', 'create_issue', 'search']);
  });

  it('include those that were called, and none that another tool’s result names', () => {
    const output = { type: 'json', value: { tools: [{ name: 'send_message' }] } };
    const loaded = loadFoundTools(deferredTools(), [
      { role: 'assistant', content: [{ type: 'tool-call', toolName: 'create_issue', toolCallId: 'a', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolName: 'read_file', toolCallId: 'b', output }] },
      { role: 'user', content: 'Hello' },
    ]);
    expect(Object.entries(loaded).map(([name, one]) => [name, one.deferLoading])).toEqual([
      ['read_file', undefined],
      ['create_issue', false],
      ['send_message', true],
    ]);
  });
});
