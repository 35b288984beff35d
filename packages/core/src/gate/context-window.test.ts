import { expect, it } from 'vitest';
import { contextWindow } from './context-window.ts';
import { estimateTokens } from './estimate-tokens.ts';

it('prefers an override to the model list, the list to the table, and the table to the default', () => {
  const model = 'claude-sonnet-4-5';
  expect(contextWindow({ override: 1, upstream: 2, model })).toEqual({ contextTokens: 1, source: 'override' });
  expect(contextWindow({ upstream: 2, model })).toEqual({ contextTokens: 2, source: 'upstream' });
  expect(contextWindow({ model })).toEqual({ contextTokens: 200_000, source: 'table' });
  expect(contextWindow({ model: 'unheard-of' })).toEqual({ contextTokens: 128_000, source: 'default' });
  expect(contextWindow()).toEqual({ contextTokens: 128_000, source: 'default' });
});

it.each([
  ['us.anthropic.claude-sonnet-4-20250514-v1:0', 200_000],
  ['openai/gpt-4.1-mini', 1_047_576],
  ['gpt-4', 8_192],
  ['gpt-4o-2024-08-06', 128_000],
  ['models/gemini-2.5-pro', 1_048_576],
  ['qwen3-coder', 262_144],
])('knows %s', (model, contextTokens) => {
  expect(contextWindow({ model })).toEqual({ contextTokens, source: 'table' });
});

it('refuses an invalid window, and ignores a model list without one', () => {
  expect(() => contextWindow({ override: 0 })).toThrow('The context window is 0');
  expect(contextWindow({ upstream: Number.NaN }).source).toBe('default');
});

it('estimates four characters to a token, rounded up', () => {
  expect(['', 'a', 'abcd', 'abcde'].map(estimateTokens)).toEqual([0, 1, 1, 2]);
});
