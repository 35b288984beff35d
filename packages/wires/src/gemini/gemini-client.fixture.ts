import { type GenerateContentConfig, GoogleGenAI, type GoogleGenAIOptions } from '@google/genai';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import { type GeminiAnswer, type GeminiServer, startGeminiServer } from './gemini-server.fixture.ts';
import type { GeminiPart, GeminiRequest } from './gemini-shapes-2026-11.ts';
import type { GeminiToolSearchOptions } from './tool-search-fetch.ts';
import { withToolSearch } from './wrap-gemini.ts';

export const TEXT_SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

export const DECLARATIONS = [
  { name: 'read_file', description: 'Reads a file.', parametersJsonSchema: TEXT_SCHEMA },
  { name: 'create_issue', description: 'Opens an issue.', parametersJsonSchema: TEXT_SCHEMA },
  { name: 'send_message', description: 'Sends a message.', parametersJsonSchema: TEXT_SCHEMA },
];

export const CONFIG: GenerateContentConfig = { tools: [{ functionDeclarations: DECLARATIONS }] };

export const OPTIONS: GeminiToolSearchOptions = {
  searcher: wordSearcher,
  settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: ['read_file'] },
  form: 'load',
};

export const SIGNED_SEARCH: GeminiPart = {
  functionCall: { name: 'tool_search', args: { query: 'issue' } },
  thoughtSignature: 'c2lnbmF0dXJlLTE=',
};

export const SIGNED_CALL: GeminiPart = {
  functionCall: { name: 'create_issue', args: { text: 'It is broken' } },
  thoughtSignature: 'c2lnbmF0dXJlLTI=',
};

export interface GeminiSetUp {
  /** The real SDK's client, wrapped. */
  readonly ai: GoogleGenAI;
  readonly requests: readonly GeminiRequest[];
  readonly server: GeminiServer;
}

const servers: GeminiServer[] = [];

export async function setUpGemini(
  script: readonly GeminiAnswer[],
  options: Partial<GeminiToolSearchOptions> = {},
  client: GoogleGenAIOptions = {},
): Promise<GeminiSetUp> {
  const server = await startGeminiServer(script);
  servers.push(server);
  const httpOptions = { ...client.httpOptions, baseUrl: server.baseUrl };
  const ai = new GoogleGenAI({ apiKey: 'no-key', ...client, httpOptions });
  return { ai: withToolSearch(ai, { ...OPTIONS, ...options }), requests: server.requests, server };
}

export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}
