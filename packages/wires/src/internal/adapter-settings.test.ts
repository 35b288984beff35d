import { GoogleGenAI } from '@google/genai';
import { expect, it } from 'vitest';
import { createSearch, toolSearchMiddleware } from '../ai-sdk/index.ts';
import { toolSearchMiddleware as anthropicMiddleware } from '../anthropic/index.ts';
import { toolSearchFetch as geminiFetch, withToolSearch as withGemini } from '../gemini/index.ts';
import { toolSearchFetch as chatFetch } from '../openai-chat/index.ts';
import { toolSearchFetch as responsesFetch } from '../openai-responses/index.ts';

const FORMS = 'form is "bridg"; allowed: auto, stub, bridge, load, native, hosted, client';

it.each<[string, (options: never) => unknown]>([
  ['the AI SDK', toolSearchMiddleware],
  ['Anthropic', anthropicMiddleware],
  ['Gemini', geminiFetch],
  ['OpenAI chat', chatFetch],
  ['OpenAI responses', responsesFetch],
])('the adapter for %s refuses settings that are not allowed when it is made', (_name, adapt) => {
  expect(() => adapt({ form: 'bridg' } as never)).toThrow(FORMS);
  expect(() => adapt({ engine: 'bm25' } as never)).toThrow('engine is "bm25"; allowed: text, regex');
  expect(() => adapt({ forms: 'load' } as never)).toThrow(/^tool search: unknown option "forms"; allowed: .*\bform, /);
  expect(() => adapt({ guard: { repeat: 1 } } as never)).toThrow('guard: unknown option "repeat"; allowed:');
  expect(() => adapt({ maxRounds: 0 } as never)).toThrow('maxRounds is 0; allowed: a whole number from 1');
  expect(() => adapt({ settings: 'auto' } as never)).toThrow('allowed: { rule, search, pins }');
});

it.each<[string, (options: never) => unknown, string]>([
  ['the AI SDK, which executes its tools itself', toolSearchMiddleware, 'hooks'],
  ['Anthropic, whose client executes its tools', anthropicMiddleware, 'execute'],
  ['Gemini, whose client executes its tools', geminiFetch, 'execute'],
])('an option of another adapter is refused by that for %s', (_name, adapt, option) => {
  expect(() => adapt({ [option]: {} } as never)).toThrow(`unknown option "${option}"`);
});

it('a wrapped Gemini client refuses options before its first request', () => {
  const client = new GoogleGenAI({ apiKey: 'none' });
  expect(() => withGemini(client, { forms: 'load' } as never)).toThrow('unknown option "forms"');
});

it.each([
  [{ search: 1 }, 'createSearch: unknown option "search"'],
  [{ limit: 0 }, 'limit is 0'],
])('createSearch refuses %j', (options, message) => {
  expect(() => createSearch(options as never)).toThrow(message);
});
