import { ApiError, type CallableTool, type FunctionCall, GoogleGenAI, type Part } from '@google/genai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CONFIG,
  closeServers,
  DECLARATIONS,
  OPTIONS,
  SIGNED_CALL,
  SIGNED_SEARCH,
  setUpGemini as setUp,
} from './gemini-client.fixture.ts';
import { chunk } from './gemini-server.fixture.ts';
import type { GeminiPart, GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';
import { toolSearchFetch } from './tool-search-fetch.ts';
import { withToolSearch } from './wrap-gemini.ts';

afterEach(closeServers);

const MODEL = 'gemini-3-pro';
const OPEN = { finishReason: undefined } as object;

function piece(text: string): GeminiResponse {
  const { finishReason: _, ...candidate } = chunk([{ text }]).candidates?.[0] ?? {};
  return { ...chunk([]), candidates: [{ ...candidate, ...OPEN }] };
}

async function collect<Value>(stream: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

/** What an MCP server becomes in the SDK, and what it was asked to do. */
function callable(): { tool: CallableTool; calls: FunctionCall[] } {
  const calls: FunctionCall[] = [];
  return {
    calls,
    tool: {
      tool: async () => ({ functionDeclarations: DECLARATIONS }),
      callTool: async (asked) => {
        calls.push(...asked);
        return asked.map(
          ({ name }): Part => ({ functionResponse: { name: name ?? '', response: { output: 'Opened' } } }),
        );
      },
    },
  };
}

describe('generateContentStream', () => {
  it('streams one response over two rounds, with one end and the usage of both', async () => {
    const { ai, requests, server } = await setUp([
      [piece('Let me'), piece(' look.'), chunk([SIGNED_SEARCH])],
      [piece('It is '), chunk([{ text: 'create_issue.' }], { tokens: 4 })],
    ]);
    const chunks = await collect(
      await ai.models.generateContentStream({ model: MODEL, contents: 'Look', config: CONFIG }),
    );
    expect(chunks.map((one) => one.candidates?.[0]?.content?.parts)).toEqual([
      [{ text: 'Let me' }],
      [{ text: ' look.' }],
      [
        {
          toolCall: expect.objectContaining({ toolType: 'TOOL_SEARCH' }),
          thoughtSignature: SIGNED_SEARCH.thoughtSignature,
        },
      ],
      [{ toolResponse: expect.objectContaining({ toolType: 'TOOL_SEARCH' }) }],
      [{ text: 'It is ' }],
      [{ text: 'create_issue.' }],
    ]);
    expect(chunks.flatMap((one) => one.candidates?.[0]?.finishReason ?? [])).toEqual(['STOP']);
    expect(chunks.at(-1)?.usageMetadata).toMatchObject({ promptTokenCount: 200, candidatesTokenCount: 14 });
    expect(new Set(chunks.map((one) => one.responseId)).size).toBe(1);
    expect(server.paths.every((path) => path.includes(`${MODEL}:streamGenerateContent?alt=sse`))).toBe(true);
    expect(requests[1]?.contents[1]).toEqual({
      role: 'model',
      parts: [{ text: 'Let me' }, { text: ' look.' }, SIGNED_SEARCH],
    });
  });

  it('forwards arguments in pieces to the client, and puts those of a search together', async () => {
    const pieces = (name: string): GeminiPart[] => [
      { functionCall: { name, willContinue: true } },
      {
        functionCall: {
          partialArgs: [{ jsonPath: '$.query', stringValue: 'iss', willContinue: true }],
          willContinue: true,
        },
      },
      { functionCall: { partialArgs: [{ jsonPath: '$.query', stringValue: 'ue' }], willContinue: true } },
      { functionCall: {} },
    ];
    const { ai, requests } = await setUp([[chunk(pieces('tool_search'))], [chunk(pieces('read_file'))]]);
    const chunks = await collect(
      await ai.models.generateContentStream({ model: MODEL, contents: 'Look', config: CONFIG }),
    );
    expect(requests[1]?.contents[1]?.parts).toEqual([
      { functionCall: { name: 'tool_search', args: { query: 'issue' } } },
    ]);
    expect(chunks.at(-1)?.candidates?.[0]?.content?.parts).toEqual(pieces('read_file'));
  });

  it('keeps the status of an error before the first chunk', async () => {
    const body = { error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED' } };
    const { ai } = await setUp([{ status: 429, body }]);
    const asked = ai.models.generateContentStream({ model: MODEL, contents: 'Look', config: CONFIG });
    await expect(asked).rejects.toMatchObject({ name: 'ApiError', status: 429 });
  });

  it('reports an error in a later round as the API does, after what was streamed', async () => {
    const body = { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } };
    const { ai } = await setUp([[chunk([{ text: 'Let me look.' }, SIGNED_SEARCH])], { status: 503, body }]);
    const stream = await ai.models.generateContentStream({ model: MODEL, contents: 'Look', config: CONFIG });
    const texts: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const one of stream) texts.push(one.candidates?.[0]?.content?.parts?.[0]?.text);
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 503 });
    expect(texts[0]).toBe('Let me look.');
  });

  it('passes an error on with which the host ends its stream, after what was streamed', async () => {
    const broken = { error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED' } };
    const { ai } = await setUp([[piece('One'), broken]]);
    const stream = await ai.models.generateContentStream({ model: MODEL, contents: 'Look', config: CONFIG });
    const texts: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const one of stream) texts.push(one.text);
    };
    await expect(read()).rejects.toMatchObject({ status: 429, message: expect.stringContaining('Slow down') });
    expect(texts).toEqual(['One']);
  });

  it('stops asking when the client stops reading', async () => {
    const { ai, requests } = await setUp([
      [piece('One'), piece('Two'), chunk([SIGNED_SEARCH])],
      [chunk([{ text: 'Late' }])],
    ]);
    const stream = await ai.models.generateContentStream({ model: MODEL, contents: 'Look', config: CONFIG });
    for await (const one of stream) {
      expect(one.candidates?.[0]?.content?.parts).toEqual([{ text: 'One' }]);
      break;
    }
    expect(requests).toHaveLength(1);
  });
});

describe('chats', () => {
  const script = [[chunk([SIGNED_SEARCH])], [chunk([{ text: 'I can open one.' }])], [chunk([SIGNED_CALL])]];

  it.each([
    ['sendMessage', false],
    ['sendMessageStream', true],
  ] as const)('remember what was found, from their own history (%s)', async (_, isStream) => {
    const { ai, requests } = await setUp(script);
    const chat = ai.chats.create({ model: MODEL, config: CONFIG });
    const say = async (message: string): Promise<void> => {
      if (isStream) await collect(await chat.sendMessageStream({ message }));
      else await chat.sendMessage({ message });
    };
    await say('Can you report it?');
    await say('Do it.');
    const declared = requests.map((request) => JSON.stringify(request.tools).includes('"create_issue"'));
    expect(declared).toEqual([false, true, true]);
    const names = (request: GeminiRequest | undefined): unknown[] =>
      (request?.contents ?? []).flatMap((content) =>
        (content.parts ?? []).map((part) => part.functionCall?.name ?? part.functionResponse?.name ?? part.text),
      );
    expect(names(requests[2])).toEqual([
      'Can you report it?',
      'tool_search',
      'tool_search',
      'I can open one.',
      'Do it.',
    ]);
    expect(chat.getHistory(true)).toHaveLength(chat.getHistory().length);
  });

  it('also search for a message with its own configuration', async () => {
    const { ai, requests } = await setUp([[chunk([{ text: 'Hello.' }])]]);
    const chat = ai.chats.create({ model: MODEL });
    await chat.sendMessage({ message: 'Hello', config: CONFIG });
    expect(JSON.stringify(requests[0]?.tools)).toContain('tool_search');
  });

  it('leave nothing of the search in a request without functions', async () => {
    const { ai, requests } = await setUp(script);
    const chat = ai.chats.create({ model: MODEL, config: CONFIG });
    await chat.sendMessage({ message: 'Can you report it?' });
    await chat.sendMessage({ message: 'Thanks.', config: {} });
    expect(requests[2]?.contents).toEqual([
      { role: 'user', parts: [{ text: 'Can you report it?' }] },
      { role: 'model', parts: [{ text: 'I can open one.' }] },
      { role: 'user', parts: [{ text: 'Thanks.' }] },
    ]);
  });
});

describe('automatic function calling', () => {
  const args = { name: 'create_issue', arguments: { text: 'It is broken' } };
  const script = [
    [chunk([SIGNED_SEARCH])],
    [chunk([{ functionCall: { name: 'tool_call', args } }])],
    [chunk([{ text: 'Opened.' }])],
  ];

  it.each([false, true])('runs the real tool with its own arguments (streaming: %s)', async (isStream) => {
    const { ai, requests } = await setUp(script, { form: 'bridge' });
    const { tool, calls } = callable();
    const parameters = { model: MODEL, contents: 'Report it', config: { tools: [tool] } };
    if (isStream) await collect(await ai.models.generateContentStream(parameters));
    else await ai.models.generateContent(parameters);
    expect(calls).toEqual([{ name: 'create_issue', args: { text: 'It is broken' } }]);
    expect(requests).toHaveLength(3);
    expect(requests[2]?.contents.at(-1)?.parts).toEqual([
      { functionResponse: { name: 'tool_call', response: { output: 'Opened' } } },
    ]);
  });
});

describe('what can’t be searched for', () => {
  it('passes a request through untouched when nothing is worth deferring', async () => {
    const { settings: _, ...automatic } = OPTIONS;
    const bodies: unknown[] = [];
    const ai = new GoogleGenAI({ apiKey: 'no-key' });
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      bodies.push(init?.body);
      return Response.json(chunk([{ text: 'Hello.' }]));
    };
    const plain = { model: MODEL, contents: 'Hello', config: { ...CONFIG, httpOptions: { fetch } } };
    await ai.models.generateContent(plain);
    await withToolSearch(ai, automatic).models.generateContent(plain);
    expect(bodies[1]).toBe(bodies[0]);
  });

  it('leaves a request with a cached prefix alone: its tools can’t be changed', async () => {
    const { ai, requests } = await setUp([[chunk([{ text: 'Hello.' }])]]);
    const config = { ...CONFIG, cachedContent: 'cachedContents/one' };
    await ai.models.generateContent({ model: MODEL, contents: 'Hello', config });
    expect(requests[0]?.tools).toEqual(CONFIG.tools);
  });

  it('leaves a body that is not JSON to the host', async () => {
    const bodies: unknown[] = [];
    const send = toolSearchFetch({
      fetch: async (_, init) => {
        bodies.push(init?.body);
        return new Response('no', { status: 400 });
      },
    });
    const url = `https://host.example/v1beta/models/${MODEL}:generateContent`;
    expect((await send(url, { method: 'POST', body: '{"contents": [' })).status).toBe(400);
    expect(bodies).toEqual(['{"contents": [']);
  });

  it('refuses several candidates with what to do instead', async () => {
    const { ai } = await setUp([]);
    const asked = ai.models.generateContent({
      model: MODEL,
      contents: 'Hello',
      config: { ...CONFIG, candidateCount: 2 },
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('candidateCount is 2; tool search supports one candidate'),
    });
  });

  it('says that it went on for too long when the round limit is met', async () => {
    const { ai } = await setUp([[chunk([SIGNED_SEARCH])]], { maxRounds: 1 });
    const response = await ai.models.generateContent({ model: MODEL, contents: 'Look', config: CONFIG });
    expect(response.candidates?.[0]?.finishReason).toBe('TOO_MANY_TOOL_CALLS');
  });

  it('does not let the SDK resume a request that it did not send', async () => {
    const checkpoint = { finishReason: 'CONTINUATION', continuationToken: 'token' };
    const { ai, requests } = await setUp([[chunk([SIGNED_SEARCH])], [chunk([{ text: 'Half' }], checkpoint)]]);
    await ai.models.generateContent({ model: MODEL, contents: 'Look', config: CONFIG });
    expect(requests).toHaveLength(2);
  });

  it('returns a blocked prompt unchanged', async () => {
    const promptFeedback = { blockReason: 'SAFETY' };
    const { ai } = await setUp([[{ promptFeedback, usageMetadata: { promptTokenCount: 4 } }]]);
    const response = await ai.models.generateContent({ model: MODEL, contents: 'Look', config: CONFIG });
    expect(response.promptFeedback).toEqual(promptFeedback);
    expect(response.candidates).toBeUndefined();
  });
});

describe('the client', () => {
  it('of Vertex is shown no searches, which it could not send back', async () => {
    const { ai } = await setUp([[chunk([SIGNED_SEARCH])], [chunk([SIGNED_CALL])]], {}, { vertexai: true });
    const response = await ai.models.generateContent({ model: MODEL, contents: 'Report it', config: CONFIG });
    expect(response.candidates?.[0]?.content?.parts).toEqual([SIGNED_CALL]);
  });

  it('continues with refused calls that it did not see, although its tools are no longer deferred', async () => {
    const reading = { functionCall: { name: 'read_file', args: { text: 'a' } } };
    const { ai, requests } = await setUp([[chunk([SIGNED_CALL, reading])], [chunk([{ text: 'Done.' }])]], {
      showSearches: false,
      checkArguments: () => ({ kind: 'wrong', problems: [{ path: '/text', message: 'is too long' }] }),
    });
    const asked = { role: 'user', parts: [{ text: 'Report it' }] };
    const first = await ai.models.generateContent({ model: MODEL, contents: [asked], config: CONFIG });
    expect(first.functionCalls).toEqual([reading.functionCall]);
    const result = { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output: 'ok' } } }] };
    const contents = [asked, first.candidates?.[0]?.content ?? {}, result];
    const plain = DECLARATIONS.map((declaration) => ({ ...declaration, defer_loading: false }));
    await ai.models.generateContent({ model: MODEL, contents, config: { tools: [{ functionDeclarations: plain }] } });
    const names = requests[1]?.contents.flatMap(({ parts = [] }) =>
      parts.flatMap(({ functionCall, functionResponse }) => functionCall?.name ?? functionResponse?.name ?? []),
    );
    expect(names).toEqual(['create_issue', 'read_file', 'create_issue', 'read_file']);
  });

  it('keeps the fetch that it was made with, and one that a request brings', async () => {
    const used: string[] = [];
    const make =
      (name: string): typeof fetch =>
      async () => {
        used.push(name);
        return Response.json(chunk([{ text: 'Hello.' }]));
      };
    const ai = withToolSearch(new GoogleGenAI({ apiKey: 'no-key', httpOptions: { fetch: make('client') } }), OPTIONS);
    await ai.models.generateContent({ model: MODEL, contents: 'Hello', config: CONFIG });
    const config = { ...CONFIG, httpOptions: { fetch: make('request') } };
    await ai.models.generateContent({ model: MODEL, contents: 'Hello', config });
    expect(used).toEqual(['client', 'request']);
  });

  it('finds tools of a catalog that no request declares, and gets their calls', async () => {
    const catalog = [
      { server: 'github', tools: [{ name: 'star', description: 'Stars it.', inputSchema: { type: 'object' } }] },
    ];
    const args = { name: 'github__star', arguments: {} };
    const { ai, requests } = await setUp([[chunk([{ functionCall: { name: 'tool_call', args } }])]], {
      catalog,
      form: 'bridge',
      listingTokens: 500,
    });
    const response = await ai.models.generateContent({ model: MODEL, contents: 'Star it', config: CONFIG });
    expect(response.functionCalls).toEqual([{ name: 'github__star', args: {} }]);
    expect(JSON.stringify(requests[0]?.systemInstruction)).toContain('star');
  });

  it.each([{}, { policies: { tools: { star: 'never' } } } as const])(
    'declares the catalog if nothing is deferred: %j',
    async (policies) => {
      const settings = { rule: { kind: 'off' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] } as const;
      const catalog = [{ name: 'star', description: 'Stars it.', inputSchema: { type: 'object' } }];
      const { ai, requests } = await setUp([[chunk([{ text: 'Hello.' }])]], { catalog, settings, ...policies });
      await ai.models.generateContent({ model: MODEL, contents: 'Hello', config: CONFIG });
      expect(requests[0]?.tools).toEqual([
        ...(CONFIG.tools ?? []),
        {
          functionDeclarations: [{ name: 'star', description: 'Stars it.', parametersJsonSchema: { type: 'object' } }],
        },
      ]);
    },
  );

  it('offers tools for what the user said, at the end of that message', async () => {
    const { ai, requests } = await setUp([[chunk([{ text: 'Hello.' }])]], { prefetch: true, form: 'bridge' });
    await ai.models.generateContent({ model: MODEL, contents: 'Open an issue', config: CONFIG });
    expect(requests[0]?.contents).toEqual([
      { role: 'user', parts: [{ text: 'Open an issue' }, { text: expect.stringContaining('create_issue') }] },
    ]);
  });

  it('is itself in everything else', async () => {
    const ai = new GoogleGenAI({ apiKey: 'no-key' });
    const wrapped = withToolSearch(ai, OPTIONS);
    expect(wrapped.files).toBe(ai.files);
    expect(wrapped.models.countTokens).toBe(ai.models.countTokens);
    expect(wrapped).toBeInstanceOf(GoogleGenAI);
  });

  it('ends the upstream’s request when its own is aborted', async () => {
    const controller = new AbortController();
    const ended: unknown[] = [];
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          ended.push(init.signal?.reason);
          reject(init.signal?.reason);
        });
        controller.abort(new Error('Enough'));
      });
    const ai = withToolSearch(new GoogleGenAI({ apiKey: 'no-key' }), { ...OPTIONS, fetch });
    const config = { ...CONFIG, abortSignal: controller.signal };
    await expect(ai.models.generateContent({ model: MODEL, contents: 'Hello', config })).rejects.toThrow('aborted');
    expect(ended).toHaveLength(1);
  });
});
