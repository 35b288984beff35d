import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CONFIG,
  closeServers,
  DECLARATIONS,
  OPTIONS,
  SIGNED_CALL,
  SIGNED_SEARCH,
  setUpGemini as setUp,
  TEXT_SCHEMA,
} from './gemini-client.fixture.ts';
import { chunk } from './gemini-server.fixture.ts';
import type { GeminiPart, GeminiRequest, GeminiResponse } from './gemini-shapes-2026-11.ts';
import { withToolSearch } from './wrap-gemini.ts';

afterEach(closeServers);

function namesIn(request: GeminiRequest | undefined): readonly unknown[] {
  return (request?.tools ?? []).flatMap((tool) =>
    ((tool.functionDeclarations ?? []) as { name: string }[]).map(({ name }) => name),
  );
}

describe('a stream that ends with an empty text', () => {
  it('sends it to no host, and the same bytes in the next turn', async () => {
    /** A chunk that is not the last of its round. */
    const going = (given: readonly GeminiPart[]): GeminiResponse => ({
      ...chunk([]),
      candidates: [{ content: { role: 'model', parts: given }, index: 0 }],
    });
    const end = { text: '' };
    const signed = { text: '', thoughtSignature: 'c2lnbmF0dXJl' };
    const { ai, requests } = await setUp([
      [going([{ text: 'Let me see.' }]), going([SIGNED_SEARCH, signed]), chunk([end])],
      [going([SIGNED_CALL]), chunk([end])],
      [chunk([{ text: 'Done.' }])],
    ]);
    const question = { role: 'user', parts: [{ text: 'Report it' }] };
    const parts: object[] = [];
    const request = { model: 'gemini-3-pro', contents: [question], config: CONFIG };
    for await (const { candidates } of await ai.models.generateContentStream(request)) {
      parts.push(...(candidates?.[0]?.content?.parts ?? []));
    }
    const said = { role: 'model', parts: parts.filter((part) => JSON.stringify(part) !== JSON.stringify(end)) };
    const result = { role: 'user', parts: [{ functionResponse: { name: 'create_issue', response: { output: 7 } } }] };
    await ai.models.generateContent({ ...request, contents: [question, said, result] as never });
    expect(requests[1]?.contents?.[1]?.parts).toEqual([{ text: 'Let me see.' }, SIGNED_SEARCH, signed]);
    const [, second, third] = requests.map(({ contents }) => JSON.stringify(contents));
    expect(third?.startsWith(String(second).slice(0, -1))).toBe(true);
  });
});

describe('generateContent', () => {
  it('searches within one response: both requests whole, usage summed, the call handed over', async () => {
    const { ai, requests } = await setUp([[chunk([SIGNED_SEARCH])], [chunk([SIGNED_CALL], { tokens: 7 })]]);
    const response = await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Report it', config: CONFIG });
    const own = requests[0]?.tools?.[0]?.functionDeclarations;
    const systemInstruction = requests[0]?.systemInstruction;
    expect(requests[0]).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Report it' }] }],
      systemInstruction: { parts: [{ text: expect.stringContaining('call tool_search ') }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'tool_search',
              description: expect.stringContaining('Search tools that are not in your list'),
              parametersJsonSchema: expect.objectContaining({ type: 'object' }),
            },
            DECLARATIONS[0],
          ],
        },
      ],
      generationConfig: {},
    });
    expect(requests[1]).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'Report it' }] },
        { role: 'model', parts: [SIGNED_SEARCH] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                name: 'tool_search',
                response: { matches: ['create_issue'] },
              },
            },
          ],
        },
      ],
      systemInstruction,
      tools: [{ functionDeclarations: [...(own as object[]), DECLARATIONS[1]] }],
      generationConfig: {},
    });
    expect(response.functionCalls).toEqual([{ name: 'create_issue', args: { text: 'It is broken' } }]);
    expect(response.candidates).toEqual([
      {
        content: {
          role: 'model',
          parts: [
            {
              toolCall: { id: 'qm_1', toolType: 'TOOL_SEARCH', args: { query: 'issue' } },
              thoughtSignature: SIGNED_SEARCH.thoughtSignature,
            },
            {
              toolResponse: {
                id: 'qm_1',
                toolType: 'TOOL_SEARCH',
                response: { toolNames: ['create_issue'], queries: ['issue'] },
              },
            },
            SIGNED_CALL,
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ]);
    expect(response.usageMetadata).toEqual({
      promptTokenCount: 200,
      candidatesTokenCount: 17,
      totalTokenCount: 217,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 200 }],
    });
    expect(response.responseId).toBe('response-10');
  });

  it('goes by the transport that its user names', async () => {
    const { ai, requests } = await setUp([[chunk([{ text: 'Hello.' }])]], { form: 'load', transport: 'mcp-stateless' });
    await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Hello', config: CONFIG });
    expect(namesIn(requests[0])).toEqual(['tool_search', 'tool_describe', 'tool_call', 'read_file']);
  });

  it('carries signatures through the bridge, both ways', async () => {
    const args = { name: 'create_issue', arguments: { text: 'It is broken' } };
    const wrapped: GeminiPart = { functionCall: { name: 'tool_call', args }, thoughtSignature: 'c2ln' };
    const { ai, requests } = await setUp([[chunk([wrapped])], [chunk([{ text: 'Done.' }])]], { form: 'bridge' });
    const first = await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Report it', config: CONFIG });
    const content = first.candidates?.[0]?.content ?? {};
    expect(content.parts).toEqual([
      { functionCall: { name: 'create_issue', args: { text: 'It is broken' } }, thoughtSignature: 'c2ln' },
    ]);
    await ai.models.generateContent({
      model: 'gemini-3-pro',
      contents: [
        { role: 'user', parts: [{ text: 'Report it' }] },
        content,
        { role: 'user', parts: [{ functionResponse: { name: 'create_issue', response: { output: 'Opened' } } }] },
      ],
      config: CONFIG,
    });
    expect(requests[1]?.contents).toEqual([
      { role: 'user', parts: [{ text: 'Report it' }] },
      { role: 'model', parts: [wrapped] },
      { role: 'user', parts: [{ functionResponse: { name: 'tool_call', response: { output: 'Opened' } } }] },
    ]);
  });

  it('puts responses without ids into the order of their calls, since wrapped calls all have one name', async () => {
    const { ai, requests } = await setUp([[chunk([{ text: 'Done.' }])]], { form: 'bridge' });
    const call = (name: string): GeminiPart => ({ functionCall: { name, args: { text: name } } });
    const response = (name: string): GeminiPart => ({ functionResponse: { name, response: { output: name } } });
    await ai.models.generateContent({
      model: 'gemini-3-pro',
      contents: [
        { role: 'user', parts: [{ text: 'Both' }] },
        { role: 'model', parts: [call('create_issue'), call('send_message')] },
        { role: 'user', parts: [response('send_message'), response('create_issue')] },
      ] as never,
      config: CONFIG,
    });
    const parts = requests[0]?.contents[2]?.parts ?? [];
    expect(parts.map(({ functionResponse }) => functionResponse)).toEqual([
      { name: 'tool_call', response: { output: 'create_issue' } },
      { name: 'tool_call', response: { output: 'send_message' } },
    ]);
  });

  it('answers a search beside a real call in the same content as the client', async () => {
    const both = [{ functionCall: { name: 'read_file', args: { text: 'a' } } }, SIGNED_SEARCH];
    const { ai, requests } = await setUp([[chunk(both)], [chunk([{ text: 'Done.' }])]]);
    const first = await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Both', config: CONFIG });
    expect(first.functionCalls).toEqual([{ name: 'read_file', args: { text: 'a' } }]);
    await ai.models.generateContent({
      model: 'gemini-3-pro',
      contents: [
        { role: 'user', parts: [{ text: 'Both' }] },
        first.candidates?.[0]?.content ?? {},
        { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output: 'text' } } }] },
      ],
      config: CONFIG,
    });
    const [, spoken, answered] = requests[1]?.contents ?? [];
    expect(spoken?.parts).toHaveLength(2);
    expect(answered?.parts?.map(({ functionResponse }) => functionResponse?.name)).toEqual([
      'read_file',
      'tool_search',
    ]);
    expect(requests[1]?.contents).toHaveLength(3);
  });

  it('pairs parallel searches without ids by their order', async () => {
    const searches = ['issue', 'message'].map((query) => ({ functionCall: { name: 'tool_search', args: { query } } }));
    const { ai, requests } = await setUp([[chunk(searches)], [chunk([{ text: 'Done.' }])]]);
    await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Both', config: CONFIG });
    expect(requests[1]?.contents[1]?.parts).toEqual(searches);
    expect(requests[1]?.contents[2]?.parts?.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { matches: ['create_issue'] },
      { matches: ['send_message'] },
    ]);
  });

  it.each(['load', 'stub', 'bridge'] as const)(
    'declares a deferred tool in full when allowedFunctionNames insists on it (%s)',
    async (form) => {
      const { ai, requests } = await setUp([[chunk([SIGNED_CALL])]], { form });
      const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['create_issue'] };
      const response = await ai.models.generateContent({
        model: 'gemini-3-pro',
        contents: 'Report it',
        config: { ...CONFIG, toolConfig: { functionCallingConfig } },
      });
      const declared = requests[0]?.tools?.[0]?.functionDeclarations as object[];
      expect(declared.filter((one) => 'name' in one && one.name === 'create_issue')).toEqual([DECLARATIONS[1]]);
      expect(requests[0]?.toolConfig).toEqual({ functionCallingConfig });
      expect(response.functionCalls).toEqual([{ name: 'create_issue', args: { text: 'It is broken' } }]);
    },
  );

  it.each(['load', 'stub', 'bridge'] as const)(
    'keeps the declarations that allowedFunctionNames names next to a deferred tool (%s)',
    async (form) => {
      const { ai, requests } = await setUp([[chunk([SIGNED_CALL])]], { form });
      const allowedFunctionNames = ['read_file', 'tool_search', 'create_issue'];
      const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames };
      const config = { ...CONFIG, toolConfig: { functionCallingConfig } };
      await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Report it', config });
      const declared = namesIn(requests[0]).filter((name) => allowedFunctionNames.includes(String(name)));
      expect(declared.toSorted()).toEqual(allowedFunctionNames.toSorted());
    },
  );

  it('lets the model speak freely once a forced search is answered', async () => {
    const { ai, requests } = await setUp([[chunk([SIGNED_SEARCH])], [chunk([{ text: 'Found.' }])]]);
    const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['tool_search'] };
    const config = { ...CONFIG, toolConfig: { functionCallingConfig } };
    const response = await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Look', config });
    expect(requests.map(({ toolConfig }) => toolConfig?.functionCallingConfig)).toEqual([
      functionCallingConfig,
      { mode: 'AUTO' },
    ]);
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
  });

  it('keeps built-in tools, even in one entry with declarations, and adds to the user’s own system instruction', async () => {
    const { ai, requests } = await setUp([[chunk([{ text: 'Hello.' }])]]);
    const tools = [{ googleSearch: {}, functionDeclarations: DECLARATIONS.slice(0, 2) }, { codeExecution: {} }];
    const more = [{ functionDeclarations: DECLARATIONS.slice(2) }];
    const config = { tools: [...tools, ...more], systemInstruction: 'Be brief.' };
    await ai.models.generateContent({ model: 'gemini-3-pro', contents: 'Hello', config });
    expect(requests[0]?.tools).toEqual([
      { googleSearch: {}, functionDeclarations: [expect.objectContaining({ name: 'tool_search' }), DECLARATIONS[0]] },
      { codeExecution: {} },
    ]);
    expect(requests[0]?.systemInstruction?.parts).toEqual([
      { text: 'Be brief.' },
      { text: expect.stringContaining('More tools are available') },
    ]);
  });

  it('returns tools under the names that the client knows', async () => {
    const odd = { name: 'math.add', description: 'Adds numbers.', parametersJsonSchema: TEXT_SCHEMA };
    const fetched: GeminiRequest[] = [];
    const model = withToolSearch(new GoogleGenAI({ apiKey: 'no-key' }), {
      ...OPTIONS,
      form: 'stub',
      fetch: async (_, init) => {
        const request = JSON.parse(String(init?.body)) as GeminiRequest;
        fetched.push(request);
        const shown = namesIn(request).find((name) => String(name).startsWith('math_add'));
        return Response.json(chunk([{ functionCall: { name: String(shown), args: { text: '1' } } }]));
      },
    });
    const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['math.add'] };
    const tools = [{ functionDeclarations: [...DECLARATIONS, odd] }];
    const config = { tools, toolConfig: { functionCallingConfig } };
    const response = await model.models.generateContent({ model: 'gemini-3-pro', contents: 'Add', config });
    expect(response.functionCalls).toEqual([{ name: 'math.add', args: { text: '1' } }]);
    await model.models.generateContent({
      model: 'gemini-3-pro',
      contents: [
        { role: 'user', parts: [{ text: 'Add' }] },
        response.candidates?.[0]?.content ?? {},
        { role: 'user', parts: [{ functionResponse: { name: 'math.add', response: { output: '2' } } }] },
      ],
      config,
    });
    expect(fetched[0]?.toolConfig?.functionCallingConfig?.allowedFunctionNames).toEqual([
      expect.stringMatching(/^math_add_[0-9a-f]{8}$/),
    ]);
    const [, called, answered] = fetched[1]?.contents ?? [];
    expect(called?.parts?.[0]?.functionCall?.name).toMatch(/^math_add_[0-9a-f]{8}$/);
    expect(answered?.parts?.[0]?.functionResponse?.name).toBe(called?.parts?.[0]?.functionCall?.name);
  });
});
