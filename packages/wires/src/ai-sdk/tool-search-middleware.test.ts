import { APICallError } from '@ai-sdk/provider';
import { capabilitiesOf, TRANSPORTS } from '@quartermaster/core/disclosure';
import {
  convertToModelMessages,
  generateText,
  type LanguageModel,
  type ModelMessage,
  readUIMessageStream,
  stepCountIs,
  streamText,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import type { ModelContent, ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import {
  call,
  type ModelAnswer,
  OPTIONS,
  type ScriptedModel,
  sampleToolSet,
  scriptedModel,
  TEXT_SCHEMA,
} from './scripted-model.fixture.ts';
import { type AiSdkToolSearchOptions, toolSearchMiddleware } from './tool-search-middleware.ts';

function setUp(
  script: readonly ModelAnswer[],
  options: Partial<AiSdkToolSearchOptions> = {},
): { model: LanguageModel; requests: readonly ModelRequest[]; inner: ScriptedModel } {
  const inner = scriptedModel(script);
  const middleware = toolSearchMiddleware({ ...OPTIONS, ...options });
  return { model: wrapLanguageModel({ model: inner, middleware }), requests: inner.requests, inner };
}

function namesIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.tools ?? []).map((tool) => tool.name);
}

const text = (value: string): ModelContent => ({ type: 'text', text: value });
const SEARCH = call('call_0', 'tool_search', { query: 'issue' });
const WRAPPED = call('call_0', 'tool_call', { name: 'create_issue', arguments: { text: 'It is broken' } });
const stopWhen = stepCountIs(5);

/** The three own tools and the pinned one, as they go to the model. */
const BRIDGE_TOOLS = [
  ...['tool_search', 'tool_describe', 'tool_call'].map((name) => ({
    type: 'function',
    name,
    description: expect.any(String),
    inputSchema: expect.objectContaining({ type: 'object' }),
  })),
  { type: 'function', name: 'read_file', description: 'Reads a file.', inputSchema: TEXT_SCHEMA },
];

describe('generateText', () => {
  it('searches, executes and answers over two steps: every request whole', async () => {
    const { model, requests } = setUp([[text('Let me look.'), SEARCH], [WRAPPED], [text('Opened.')]]);
    const { tools, executed } = sampleToolSet();
    const result = await generateText({ model, tools, stopWhen, system: 'Be brief.', prompt: 'Report it' });
    expect(result.text).toBe('Opened.');
    expect(executed).toEqual([{ name: 'create_issue', input: { text: 'It is broken' } }]);
    expect(result.steps).toHaveLength(2);
    expect(result.steps[0]?.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });

    const [first] = requests;
    const beginning = [
      { role: 'system', content: expect.stringMatching(/^Be brief\.\n\nMore tools are available/) },
      { role: 'user', content: [{ type: 'text', text: 'Report it' }] },
    ];
    expect(first).toMatchObject({ prompt: beginning, tools: BRIDGE_TOOLS, toolChoice: { type: 'auto' } });
    const searched = [
      ...beginning,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-call', toolCallId: 'call_0', toolName: 'tool_search', input: { query: 'issue' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_0',
            toolName: 'tool_search',
            output: { type: 'text', value: expect.stringContaining('create_issue') },
          },
        ],
      },
    ];
    expect(requests[1]?.prompt).toEqual(searched);
    expect(requests[2]?.prompt).toEqual([
      ...searched,
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'call_0_2',
            toolName: 'tool_call',
            input: { name: 'create_issue', arguments: { text: 'It is broken' } },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_0_2',
            toolName: 'tool_call',
            output: { type: 'text', value: 'Result of create_issue' },
          },
        ],
      },
    ]);
    expect(requests.map(({ tools: declared }) => JSON.stringify(declared))).toEqual(
      requests.map(() => JSON.stringify(first?.tools)),
    );
  });

  it('goes by a table of transports that its user brings', async () => {
    const capabilities = { ...capabilitiesOf('ai-sdk'), lateTools: false };
    const tables = [TRANSPORTS, { 'ai-sdk': { capabilities } }];
    const declared = await Promise.all(
      tables.map(async (transports) => {
        const { model, requests } = setUp([[text('Hello.')]], { form: 'load', transports });
        await generateText({ model, tools: sampleToolSet().tools, prompt: 'Hello' });
        return namesIn(requests[0]);
      }),
    );
    expect(declared).toEqual([
      ['tool_search', 'read_file'],
      ['tool_search', 'tool_describe', 'tool_call', 'read_file'],
    ]);
  });

  it('shows the search as a dynamic call that the provider executed', async () => {
    const { model } = setUp([[SEARCH], [text('There is one.')]]);
    const result = await generateText({ model, tools: sampleToolSet().tools, stopWhen, prompt: 'Can you?' });
    expect(result.content).toMatchObject([
      {
        type: 'tool-call',
        toolName: 'tool_search',
        input: { query: 'issue' },
        providerExecuted: true,
        dynamic: true,
      },
      {
        type: 'tool-result',
        toolName: 'tool_search',
        output: { toolNames: ['create_issue'], queries: ['issue'] },
        providerExecuted: true,
        dynamic: true,
      },
      { type: 'text', text: 'There is one.' },
    ]);
    expect(result.steps).toHaveLength(1);
    expect(result.finishReason).toBe('stop');
  });

  it.each(['load', 'stub', 'bridge'] as const)('remembers across calls from the messages alone (%s)', async (form) => {
    const { model, requests } = setUp([[SEARCH], [text('There is one.')], [text('Once more.')]], { form });
    const { tools } = sampleToolSet();
    const messages: ModelMessage[] = [{ role: 'user', content: 'Can you?' }];
    const first = await generateText({ model, tools, stopWhen, messages });
    messages.push(...first.responseMessages, { role: 'user', content: 'Really?' });
    await generateText({ model, tools, stopWhen, messages });
    const read = requests[1]?.prompt ?? [];
    expect(requests[2]?.prompt.slice(0, read.length)).toEqual(read);
    expect(namesIn(requests[2])).toEqual(namesIn(requests[1]));
    expect(namesIn(requests[1]).includes('create_issue')).toBe(form !== 'bridge');
  });

  it('keeps a signature with its call, through the search and through the bridge', async () => {
    const signed = (part: ModelContent, thoughtSignature: string): ModelContent =>
      ({ ...part, providerMetadata: { google: { thoughtSignature } } }) as ModelContent;
    const { model, requests } = setUp([[signed(SEARCH, 'one')], [signed(WRAPPED, 'two')], [text('Opened.')]]);
    await generateText({ model, tools: sampleToolSet().tools, stopWhen, prompt: 'Report it' });
    const calls = (requests[2]?.prompt ?? []).flatMap((message) =>
      message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [],
    );
    expect(calls.map(({ toolName, providerOptions }) => [toolName, providerOptions])).toEqual([
      ['tool_search', { google: { thoughtSignature: 'one' } }],
      ['tool_call', { google: { thoughtSignature: 'two' } }],
    ]);
  });

  it('answers a search beside a real call together with it', async () => {
    const { model, requests } = setUp([[call('a', 'read_file', { text: 'x' }), SEARCH], [text('Done.')]]);
    const { tools, executed } = sampleToolSet();
    await generateText({ model, tools, stopWhen, prompt: 'Both' });
    expect(executed).toEqual([{ name: 'read_file', input: { text: 'x' } }]);
    const [, , spoken, answered] = requests[1]?.prompt ?? [];
    expect(spoken?.content).toMatchObject([{ toolCallId: 'a' }, { toolCallId: 'call_0' }]);
    expect(answered?.content).toMatchObject([{ toolName: 'read_file' }, { toolName: 'tool_search' }]);
  });

  it('lets the model continue after a refusal, and shows it as an error', async () => {
    const wrong = call('c', 'tool_call', { name: 'no_such_tool', arguments: {} });
    const { model, requests } = setUp([[wrong], [text('Sorry.')]]);
    const result = await generateText({ model, tools: sampleToolSet().tools, stopWhen, prompt: 'Report it' });
    expect(result.text).toBe('Sorry.');
    expect(result.content.map((part) => part.type)).toEqual(['tool-call', 'tool-error', 'text']);
    const answer = requests[1]?.prompt.at(-1);
    expect(answer?.content).toMatchObject([{ toolName: 'tool_call', output: { type: 'error-text' } }]);
  });

  it('serves a deferred tool that the model calls by its own name', async () => {
    const { model } = setUp([[call('c', 'create_issue', { text: 'x' })], [text('Opened.')]]);
    const { tools, executed } = sampleToolSet();
    await generateText({ model, tools, stopWhen, prompt: 'Report it' });
    expect(executed).toEqual([{ name: 'create_issue', input: { text: 'x' } }]);
  });

  it.each(['load', 'stub', 'bridge'] as const)('shows a deferred tool in full when it is forced (%s)', async (form) => {
    const { model, requests } = setUp([[call('c', 'create_issue', { text: 'x' })]], { form });
    const { tools, executed } = sampleToolSet();
    const toolChoice = { type: 'tool', toolName: 'create_issue' } as const;
    await generateText({ model, tools, toolChoice, prompt: 'Report it' });
    expect(requests[0]?.tools?.filter(({ name }) => name === 'create_issue')).toEqual([
      { type: 'function', name: 'create_issue', description: 'Opens an issue.', inputSchema: TEXT_SCHEMA },
    ]);
    expect(executed).toHaveLength(1);
  });

  it('leaves a request alone when nothing is worth deferring, or when the provider searches', async () => {
    const { settings: _, ...automatic } = OPTIONS;
    const inner = scriptedModel([[text('Hello.')], [text('Hello.')]]);
    const plain = wrapLanguageModel({ model: inner, middleware: toolSearchMiddleware(automatic) });
    const { tools } = sampleToolSet();
    await generateText({ model: plain, tools, prompt: 'Hello' });
    expect(namesIn(inner.requests[0])).toEqual(Object.keys(tools));
    const { requests, model } = setUp([[text('Hello.')]]);
    const request: ModelRequest = {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      tools: [
        { type: 'provider', id: 'anthropic.tool_search_bm25_20251119', name: 'tool_search', args: {} },
        { type: 'function', name: 'create_issue', inputSchema: TEXT_SCHEMA as object },
      ],
    };
    if (typeof model !== 'string' && model.specificationVersion === 'v4') await model.doGenerate(request);
    expect(requests[0]).toEqual(request);
  });

  it('removes our parts from a request without tools', async () => {
    const { model, requests } = setUp([[SEARCH], [text('There is one.')], [text('Bye.')]]);
    const messages: ModelMessage[] = [{ role: 'user', content: 'Can you?' }];
    const first = await generateText({ model, tools: sampleToolSet().tools, messages });
    await generateText({ model, messages: [...messages, ...first.responseMessages, { role: 'user', content: 'Bye' }] });
    expect(requests[2]?.prompt[1]).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'There is one.' }],
    });
  });

  it('offers tools for what the user said, at the end of that message', async () => {
    const { model, requests } = setUp([[text('Hello.')]], { prefetch: true });
    await generateText({ model, tools: sampleToolSet().tools, prompt: 'Open an issue' });
    expect(requests[0]?.prompt.at(-1)?.content).toEqual([
      { type: 'text', text: 'Open an issue' },
      { type: 'text', text: expect.stringContaining('create_issue') },
    ]);
  });

  it('returns tools under the names that `ai` knows, without a provider’s mark of deferral', async () => {
    const { tools, executed } = sampleToolSet();
    const odd = { 'math.add': { ...tools.create_issue, providerOptions: { anthropic: { deferLoading: true } } } };
    const { model, requests, inner } = setUp([[], [text('Added.')]], { form: 'stub' });
    const generate = inner.doGenerate;
    inner.doGenerate = async (request) => {
      const result = await generate(request);
      const name = namesIn(request).find((one) => one.startsWith('math_add')) ?? '';
      return requests.length > 1 ? result : { ...result, content: [call('c', name, { text: '1' })] };
    };
    await generateText({ model, tools: { ...tools, ...odd }, stopWhen, prompt: 'Add' });
    expect(executed).toEqual([{ name: 'create_issue', input: { text: '1' } }]);
    expect(JSON.stringify(requests)).not.toContain('deferLoading');
    expect(requests[1]?.prompt.at(-1)?.content).toMatchObject([{ toolName: expect.stringMatching(/^math_add_/) }]);
  });

  it('indexes the tools once while they are the same, and again when they change', async () => {
    const indexed: number[] = [];
    const { model } = setUp([[SEARCH], [WRAPPED], [text('Opened.')], [SEARCH], [text('None.')]], {
      searcher: (snapshot) => {
        indexed.push(snapshot.tools.length);
        return wordSearcher(snapshot);
      },
    });
    const { tools } = sampleToolSet();
    await generateText({ model, tools, stopWhen, prompt: 'Report it' });
    const { create_issue: _, ...fewer } = tools;
    await generateText({ model, tools: fewer, stopWhen, prompt: 'Report it' });
    expect(indexed).toEqual([3, 2]);
  });

  it('stops with a specific reason at the round limit, and continues from there', async () => {
    const { model, requests } = setUp([[SEARCH], [text('There is one.')]], { maxRounds: 1 });
    const { tools } = sampleToolSet();
    const messages: ModelMessage[] = [{ role: 'user', content: 'Can you?' }];
    const paused = await generateText({ model, tools, messages });
    expect([paused.finishReason, paused.rawFinishReason]).toEqual(['other', 'tool_search_pause']);
    const resumed = await generateText({ model, tools, messages: [...messages, ...paused.responseMessages] });
    expect(resumed.text).toBe('There is one.');
    expect(requests[1]?.prompt.at(-1)?.role).toBe('tool');
  });
});

/** All that `ai` 6 reads of a model: it throws for any other. */
const PARTS_OF_6: ReadonlySet<string> = new Set([
  ...['stream-start', 'response-metadata', 'finish', 'error', 'raw', 'file', 'source'],
  ...['text', 'reasoning', 'tool-input'].flatMap((kind) => ['start', 'delta', 'end'].map((at) => `${kind}-${at}`)),
  ...['tool-call', 'tool-result', 'tool-approval-request'],
]);

describe('streamText', () => {
  it('streams texts of several rounds separately, even if the model counts each from 0', async () => {
    const { model } = setUp([[text('Let me look.'), SEARCH], [text('Found it.'), WRAPPED], [text('Opened.')]]);
    const { tools, executed } = sampleToolSet();
    const result = streamText({ model, tools, stopWhen, prompt: 'Report it' });
    const starts = new Set<string>();
    const types: string[] = [];
    for await (const part of result.fullStream) {
      if (part.type === 'text-start') starts.add(part.id);
      if (['tool-call', 'tool-result', 'text-end'].includes(part.type)) types.push(part.type);
      if (part.type === 'error') throw part.error;
    }
    expect(starts.size).toBe(3);
    expect(types).toEqual(['text-end', 'tool-call', 'tool-result', 'text-end', 'tool-call', 'tool-result', 'text-end']);
    expect(executed).toEqual([{ name: 'create_issue', input: { text: 'It is broken' } }]);
    expect(await result.text).toBe('Opened.');
    expect((await result.steps)[0]?.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
  });

  it('remembers across calls, from all messages of the response', async () => {
    const { model, requests } = setUp([[SEARCH], [WRAPPED], [text('Opened.')], [text('You’re welcome.')]]);
    const { tools } = sampleToolSet();
    const messages: ModelMessage[] = [{ role: 'user', content: 'Report it' }];
    const first = streamText({ model, tools, stopWhen, messages });
    await first.consumeStream();
    const second = streamText({
      model,
      tools,
      stopWhen,
      messages: [...messages, ...(await first.responseMessages), { role: 'user', content: 'Thanks' }],
    });
    await second.consumeStream();
    const read = requests[2]?.prompt ?? [];
    expect(requests[3]?.prompt.slice(0, read.length)).toEqual(read);
  });

  it('remembers what came back through a chat page', async () => {
    const { model, requests } = setUp([[SEARCH], [text('There is one.')], [text('Yes.')]], { form: 'load' });
    const { tools } = sampleToolSet();
    const asked: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Can you?' }] };
    const result = streamText({ model, tools, messages: await convertToModelMessages([asked]) });
    let shown: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) shown = message;
    const again: UIMessage = { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Really?' }] };
    const page: UIMessage[] = JSON.parse(JSON.stringify([asked, shown, again]));
    await streamText({ model, tools, messages: await convertToModelMessages(page) }).consumeStream();
    expect(namesIn(requests[2])).toContain('create_issue');
    expect(JSON.stringify(requests[2]?.prompt)).not.toContain('quartermaster');
  });

  it('lets `ai` try again when the model refuses at first', async () => {
    const busy = new APICallError({
      message: 'Slow down',
      url: 'http://127.0.0.1',
      requestBodyValues: {},
      statusCode: 429,
      responseHeaders: { 'retry-after-ms': '1' },
      isRetryable: true,
    });
    const { model, requests } = setUp([busy, [text('Hello.')]]);
    const result = streamText({ model, tools: sampleToolSet().tools, prompt: 'Hello' });
    expect(await result.text).toBe('Hello.');
    expect(requests).toHaveLength(2);
  });

  it('reports the model’s first request', async () => {
    const { model } = setUp([[SEARCH], [text('There is one.')]]);
    const result = streamText({
      model,
      tools: sampleToolSet().tools,
      prompt: 'Can you?',
      include: { requestBody: true },
    });
    expect((await result.request).body).toBe('request 1');
  });

  it('has no parts between rounds that only ai 7 knows', async () => {
    const { model } = setUp([[SEARCH], [text('Found.')]]);
    const { stream } = await (model as ReturnType<typeof scriptedModel>).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Report it' }] }],
      tools: ['read_file', 'create_issue'].map((name) => ({
        type: 'function' as const,
        name,
        inputSchema: { ...TEXT_SCHEMA, required: ['text'] },
      })),
    });
    const types = new Set<string>();
    for await (const { type } of stream) types.add(type);
    expect([...types].filter((type) => !PARTS_OF_6.has(type))).toEqual([]);
    expect(types).toContain('tool-result');
  });

  it('ends the model’s stream when the reader goes away', async () => {
    const inner = scriptedModel([]);
    const signals: (AbortSignal | undefined)[] = [];
    inner.doStream = async ({ abortSignal }) => {
      signals.push(abortSignal);
      return {
        stream: new ReadableStream({
          start: (controller) => controller.enqueue({ type: 'stream-start', warnings: [] }),
          pull: () => new Promise(() => undefined),
        }),
      };
    };
    const model = wrapLanguageModel({ model: inner, middleware: toolSearchMiddleware(OPTIONS) });
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      tools: [{ type: 'function', name: 'create_issue', inputSchema: TEXT_SCHEMA as object }],
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(signals[0]?.aborted).toBe(true);
  });
});
