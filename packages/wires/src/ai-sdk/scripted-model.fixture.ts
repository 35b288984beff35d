import type { LanguageModelV4, LanguageModelV4Usage } from '@ai-sdk/provider';
import { jsonSchema, tool } from 'ai';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import type { ModelContent, ModelPart, ModelRequest, ModelResult } from './language-model-v4-shapes-2026-11.ts';
import type { AiSdkToolSearchOptions } from './tool-search-middleware.ts';
import { modelWhole } from './whole.ts';

/** What the model says in one round: its content, or an error that it throws. */
export type ModelAnswer = readonly ModelContent[] | Error;

export interface ScriptedModel extends LanguageModelV4 {
  /** Every call, in order, without what is no data. */
  readonly requests: ModelRequest[];
}

const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 100, noCache: 90, cacheRead: 10, cacheWrite: undefined },
  outputTokens: { total: 10, text: 10, reasoning: undefined },
};

/** A language model that follows a script, streaming or not. Texts count from 0 in each round, as with most providers. */
export function scriptedModel(script: readonly ModelAnswer[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  const next = (request: ModelRequest): ModelResult => {
    const answer = script[requests.length] ?? new Error(`The script has no round ${requests.length + 1}`);
    const { abortSignal: _, ...data } = request;
    requests.push(data);
    if (answer instanceof Error) throw answer;
    const hasCalls = answer.some((part) => part.type === 'tool-call');
    return {
      content: [...answer],
      finishReason: { unified: hasCalls ? 'tool-calls' : 'stop', raw: undefined },
      usage: USAGE,
      warnings: [],
    };
  };
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted-model',
    supportedUrls: {},
    requests,
    doGenerate: async (request) => next(request),
    doStream: async (request) => {
      const parts = modelWhole.toParts(next(request));
      return {
        stream: new ReadableStream<ModelPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
        request: { body: `request ${requests.length}` },
      };
    },
  };
}

export function call(toolCallId: string, toolName: string, input: object): ModelContent {
  return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) };
}

/** Three tools as a user of `ai` has them, and what they were called with. */
export function sampleToolSet(): {
  readonly tools: ReturnType<typeof makeTools>;
  readonly executed: { readonly name: string; readonly input: unknown }[];
} {
  const executed: { readonly name: string; readonly input: unknown }[] = [];
  return { tools: makeTools((name, input) => executed.push({ name, input })), executed };
}

export const TEXT_SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

function makeTools(record: (name: string, input: unknown) => void) {
  const make = (name: string, description: string) =>
    tool({
      description,
      inputSchema: jsonSchema<{ text: string }>({ ...TEXT_SCHEMA, required: ['text'] }),
      execute: async (input) => {
        record(name, input);
        return `Result of ${name}`;
      },
    });
  return {
    read_file: make('read_file', 'Reads a file.'),
    create_issue: make('create_issue', 'Opens an issue.'),
    send_message: make('send_message', 'Sends a message.'),
  };
}

export const OPTIONS: AiSdkToolSearchOptions = {
  searcher: wordSearcher,
  settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: ['read_file'] },
};
