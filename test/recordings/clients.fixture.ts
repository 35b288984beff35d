import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { toolSearchMiddleware } from '@quartermaster/wires/ai-sdk';
import * as anthropic from '@quartermaster/wires/anthropic';
import * as gemini from '@quartermaster/wires/gemini';
import * as chat from '@quartermaster/wires/openai-chat';
import * as responses from '@quartermaster/wires/openai-responses';
import { wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import type { RecordedDialect, Recording } from './recording.fixture.ts';

/** Asks a host as the recording was asked for, and gives what a program gets to see: a response, or events and what they make. */
export type Ask = (
  host: { readonly url: string; readonly fetch?: typeof fetch },
  recording: Recording,
) => Promise<unknown>;

export interface RecordedClient {
  /** The provider's own client, as it is. */
  readonly direct: Ask;
  /** The same with tool search. */
  readonly searching: Ask;
  /** Whether the API is passed on as it is. @default false */
  readonly isPassedOn?: boolean;
}

const SCHEMA = { type: 'object' as const, properties: {} };
const TEXT = 'Go on.';

/** Tools that no recording calls: there has to be something to search. */
export const DEFERRED_TOOLS = [
  { name: 'send_invoice', description: 'Sends an invoice to a customer.' },
  { name: 'cancel_invoice', description: 'Cancels an invoice.' },
];

function settings(recording: Recording) {
  const rule = { kind: 'on' as const };
  const search = { defaultLimit: 5, maxLimit: 20 };
  return { settings: { rule, search, pins: recording.calledTools }, form: 'load' as const, transport: 'unknown' };
}

export function anthropicRequest({ calledTools }: Recording): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model: 'some-model',
    max_tokens: 20_000,
    messages: [{ role: 'user', content: TEXT }],
    tools: [
      anthropic.bm25SearchTool(),
      ...calledTools.map((name) => ({ name, input_schema: SCHEMA })),
      ...DEFERRED_TOOLS.map((tool) => ({ ...tool, input_schema: SCHEMA, defer_loading: true })),
    ],
  };
}

async function askAnthropic(client: Anthropic, recording: Recording): Promise<unknown> {
  const request = anthropicRequest(recording);
  if (!recording.isStream) return client.messages.create(request);
  const events: unknown[] = [];
  const stream = client.messages.stream(request);
  stream.on('streamEvent', (event) => events.push(structuredClone(event)));
  const message = await orError(stream.finalMessage());
  return { events, message };
}

function chatRequest({ calledTools }: Recording): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const named = [...calledTools.map((name) => ({ name, description: '' })), ...DEFERRED_TOOLS];
  return {
    model: 'some-model',
    messages: [{ role: 'user', content: TEXT }],
    tools: named.map((tool) => ({
      type: 'function',
      function: { ...tool, parameters: SCHEMA },
      ...(calledTools.includes(tool.name) ? {} : { defer_loading: true }),
    })),
  };
}

async function askChat(client: OpenAI, recording: Recording): Promise<unknown> {
  const request = chatRequest(recording);
  if (!recording.isStream) return client.chat.completions.create(request);
  const parameters = { ...request, stream: true as const, stream_options: { include_usage: true } };
  const chunks: unknown[] = [];
  for await (const chunk of await client.chat.completions.create(parameters)) chunks.push(chunk);
  return { chunks };
}

const FOUND_TOOLS = [
  { type: 'function' as const, name: 'void_invoice', parameters: SCHEMA, strict: false, defer_loading: true },
];

/** A search that the client has made, as the items and as the messages that it sends back. */
const SEARCH_ITEMS = [
  { role: 'user' as const, content: TEXT },
  {
    ...{ type: 'tool_search_call' as const, id: 'tsc_1', call_id: 'call_searched', execution: 'client' as const },
    ...{ status: 'completed' as const, arguments: { goal: 'invoices' } },
  },
  {
    ...{ type: 'tool_search_output' as const, id: 'tso_1', call_id: 'call_searched', execution: 'client' as const },
    status: 'completed' as const,
    tools: FOUND_TOOLS,
  },
];
const SEARCH_PROMPT: LanguageModelV4CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: TEXT }] },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call_searched', toolName: 'tool_search', input: { goal: 'invoices' } }],
  },
  {
    role: 'tool',
    content: [
      {
        ...{ type: 'tool-result', toolCallId: 'call_searched', toolName: 'tool_search' },
        output: { type: 'json', value: { tools: FOUND_TOOLS } },
      },
    ],
  },
];

const CLIENT_SEARCH = { execution: 'client' as const, description: 'Searches.', parameters: SCHEMA };

function responsesRequest(recording: Recording): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  const { calledTools } = recording;
  const named = [...calledTools.map((name) => ({ name, description: '' })), ...DEFERRED_TOOLS];
  return {
    model: 'some-model',
    input: recording.hasSearched === true ? SEARCH_ITEMS : TEXT,
    tools: [
      ...(recording.isClientSearch ? [{ type: 'tool_search' as const, ...CLIENT_SEARCH }] : []),
      ...named.map((tool) => ({
        type: 'function' as const,
        ...tool,
        parameters: SCHEMA,
        strict: false,
        ...(calledTools.includes(tool.name) ? {} : { defer_loading: true }),
      })),
    ],
  };
}

async function askResponses(client: OpenAI, recording: Recording): Promise<unknown> {
  const request = responsesRequest(recording);
  if (!recording.isStream) return client.responses.create(request);
  const events: unknown[] = [];
  const read = async (): Promise<void> => {
    for await (const event of await client.responses.create({ ...request, stream: true })) {
      events.push(structuredClone(event));
    }
  };
  const error = await orError(read());
  return { events, error };
}

async function askGemini(client: GoogleGenAI, recording: Recording): Promise<unknown> {
  const named = [...recording.calledTools.map((name) => ({ name, description: '' })), ...DEFERRED_TOOLS];
  const functionDeclarations = named.map((tool) => ({ ...tool, parametersJsonSchema: SCHEMA }));
  const request = { model: 'some-model', contents: TEXT, config: { tools: [{ functionDeclarations }] } };
  if (!recording.isStream) return withoutTransport(await client.models.generateContent(request));
  const chunks: unknown[] = [];
  for await (const chunk of await client.models.generateContentStream(request)) chunks.push(withoutTransport(chunk));
  return { chunks };
}

/** Its events are passed on as they are: there is no tool search in this API but through the AI SDK. */
async function askInteractions(client: GoogleGenAI, recording: Recording): Promise<unknown> {
  const request = { model: 'some-model', input: TEXT } as const;
  if (!recording.isStream) return withoutTransport(await client.interactions.create(request));
  const events: unknown[] = [];
  for await (const event of await client.interactions.create({ ...request, stream: true })) events.push(event);
  return { events };
}

function withoutTransport(response: object): object {
  const { sdkHttpResponse: _, ...rest } = response as { sdkHttpResponse?: unknown };
  return rest;
}

async function askModel(model: LanguageModelV4, recording: Recording): Promise<unknown> {
  const named = [...recording.calledTools.map((name) => ({ name, description: '' })), ...DEFERRED_TOOLS];
  const options: LanguageModelV4CallOptions = {
    prompt:
      recording.hasSearched === true ? SEARCH_PROMPT : [{ role: 'user', content: [{ type: 'text', text: TEXT }] }],
    tools: [
      ...named.map((tool) => ({ type: 'function' as const, ...tool, inputSchema: SCHEMA })),
      ...(recording.isClientSearch
        ? [{ type: 'provider' as const, id: 'openai.tool_search' as const, name: 'tool_search', args: CLIENT_SEARCH }]
        : []),
    ],
  };
  if (!recording.isStream) {
    const { request: _, response: __, ...result } = await model.doGenerate(options);
    return result;
  }
  const { stream } = await model.doStream(options);
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  return { parts };
}

const KEYS = { apiKey: 'none', maxRetries: 0 };

/** The official SDK of each provider. */
export const SDK_CLIENTS: Readonly<Partial<Record<RecordedDialect, RecordedClient>>> = {
  anthropic: {
    direct: ({ url, ...rest }, recording) => askAnthropic(new Anthropic({ ...KEYS, baseURL: url, ...rest }), recording),
    searching: ({ url }, recording) =>
      askAnthropic(anthropic.withToolSearch(new Anthropic({ ...KEYS, baseURL: url }), settings(recording)), recording),
  },
  'openai-chat': {
    direct: ({ url, ...rest }, recording) => askChat(new OpenAI({ ...KEYS, baseURL: `${url}/v1`, ...rest }), recording),
    searching: ({ url }, recording) =>
      askChat(chat.withToolSearch(new OpenAI({ ...KEYS, baseURL: `${url}/v1` }), settings(recording)), recording),
  },
  'openai-responses': {
    direct: ({ url, ...rest }, recording) =>
      askResponses(new OpenAI({ ...KEYS, baseURL: `${url}/v1`, ...rest }), recording),
    searching: ({ url }, recording) =>
      askResponses(
        responses.withToolSearch(new OpenAI({ ...KEYS, baseURL: `${url}/v1` }), settings(recording)),
        recording,
      ),
  },
  interactions: {
    direct: ({ url }, recording) => askInteractions(geminiClient(url), recording),
    searching: ({ url }, recording) =>
      askInteractions(gemini.withToolSearch(geminiClient(url), settings(recording)), recording),
    isPassedOn: true,
  },
  gemini: {
    direct: ({ url }, recording) => askGemini(geminiClient(url), recording),
    searching: ({ url }, recording) =>
      askGemini(gemini.withToolSearch(geminiClient(url), settings(recording)), recording),
  },
};

function geminiClient(baseUrl: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } });
}

/** The AI SDK's provider of each, with and without the middleware. */
export const AI_SDK_CLIENT: RecordedClient = {
  direct: ({ url }, recording) => askModel(modelFor(url, recording), recording),
  searching: ({ url }, recording) => {
    const { transport: _, ...options } = settings(recording);
    const model = wrapLanguageModel({ model: modelFor(url, recording), middleware: toolSearchMiddleware(options) });
    return askModel(model as LanguageModelV4, recording);
  },
};

function modelFor(url: string, { dialect, name }: Recording): LanguageModelV4 {
  const baseURL = `${url}/v1`;
  const apiKey = 'none';
  const model = 'some-model';
  switch (dialect) {
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey })(model);
    case 'openai-chat':
      return name.startsWith('openai/')
        ? createOpenAI({ baseURL, apiKey }).chat(model)
        : createOpenAICompatible({ baseURL, apiKey, name: 'recorded' })(model);
    case 'openai-responses':
      return createOpenAI({ baseURL, apiKey }).responses(model);
    case 'gemini':
      return createGoogleGenerativeAI({ baseURL, apiKey })(model);
    case 'interactions':
      return createGoogleGenerativeAI({ baseURL, apiKey }).interactions(model);
    case 'bedrock':
      return createAmazonBedrock({ baseURL, apiKey })(model);
  }
}

/** What goes wrong is compared too. */
async function orError<Value>(promise: Promise<Value>): Promise<Value | { readonly error: string }> {
  try {
    return await promise;
  } catch (error) {
    return { error: String(error) };
  }
}
