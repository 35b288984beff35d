import Anthropic from '@anthropic-ai/sdk';
import { onTestFinished } from 'vitest';
import { type ScriptedAnswer, scriptedHost } from '../internal/scripted-host.fixture.ts';
import { writeNamedEvent } from './anthropic-dialect.ts';
import type { AnthropicEvent, AnthropicRequest } from './anthropic-shapes-2026-11.ts';
import { call, scriptMessage, text } from './message-script.fixture.ts';
import type { AnthropicToolSearchOptions } from './plan-request.ts';
import { anthropicWhole } from './whole.ts';
import { withToolSearch } from './wrap-anthropic.ts';

export const ON: AnthropicToolSearchOptions = {
  settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
};

export const weather = {
  name: 'get_weather',
  description: 'Tells the weather at a place.',
  input_schema: { type: 'object' as const, properties: { place: { type: 'string' } }, required: ['place'] },
};
export const mail = {
  name: 'send_mail',
  description: 'Sends a mail.',
  input_schema: { type: 'object' as const, properties: { to: { type: 'string' } } },
};
export const clock = {
  name: 'get_time',
  description: 'Tells the time.',
  input_schema: { type: 'object' as const, properties: {} },
};

export const ASK = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];
export const COMMON = { model: 'some-model', max_tokens: 1000, messages: ASK };

const DIALECT = { whole: anthropicWhole as never, write: writeNamedEvent, end: '' };

interface Host {
  readonly url: string;
  readonly requests: readonly AnthropicRequest[];
}

/** A host that answers from a script, and ends with the test. */
export async function start(answers: readonly ScriptedAnswer<AnthropicEvent>[]): Promise<Host> {
  const { url, requests, close } = await scriptedHost(answers, DIALECT);
  onTestFinished(close);
  return { url: new URL('/', url).href, requests: requests as readonly AnthropicRequest[] };
}

/** A wrapped client of such a host. */
export async function connect(
  answers: readonly ScriptedAnswer<AnthropicEvent>[],
  options: AnthropicToolSearchOptions = ON,
) {
  const host = await start(answers);
  const client = new Anthropic({ apiKey: 'none', baseURL: host.url, maxRetries: 0 });
  return { client: withToolSearch(client, options), host };
}

export const searching = (name: string, input: object): readonly AnthropicEvent[] =>
  scriptMessage([text('Let me look.'), call('call_0', name, input)], 'tool_use');
export const calling = (name: string, input: object): readonly AnthropicEvent[] =>
  scriptMessage([call('call_0', name, input)], 'tool_use');
export const done = scriptMessage([text('It rains.')], 'end_turn');
