import { expect, it } from 'vitest';
import { toolSearchMiddleware } from '../ai-sdk/index.ts';
import { toolSearchMiddleware as anthropicMiddleware } from '../anthropic/index.ts';
import { toolSearchFetch as geminiFetch } from '../gemini/index.ts';
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
  expect(() => adapt({ settings: 'auto' } as never)).toThrow('allowed: { rule, search, pins }');
});
