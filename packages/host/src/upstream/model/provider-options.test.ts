import { expect, it } from 'vitest';
import type { ModelFamily } from './model-target.ts';
import { type ReasoningWish, reasoningOptions } from './provider-options.ts';

const THOUGHTS = { google: { thinkingConfig: { includeThoughts: true } } };

it.each<[ModelFamily, ReasoningWish, object]>([
  ['openai', {}, {}],
  ['openai', { effort: 'high' }, { reasoning: 'high' }],
  ['openai', { effort: 'unheard of' }, {}],
  ['openai', { thinking: 'adaptive' }, {}],
  ['openai', { thinking: 'disabled' }, { reasoning: 'none' }],
  ['openai', { thinking: 'enabled', budgetTokens: 1_024 }, { reasoning: 'low' }],
  ['openai', { thinking: 'enabled', budgetTokens: 8_192 }, { reasoning: 'medium' }],
  ['openai', { thinking: 'enabled', budgetTokens: 31_999 }, { reasoning: 'high' }],
  ['openai', { thinking: 'enabled', budgetTokens: 64_000 }, { reasoning: 'xhigh' }],
  ['openai', { thinking: 'enabled', budgetTokens: 64_000, effort: 'low' }, { reasoning: 'low' }],
  ['google', { effort: 'medium' }, { reasoning: 'medium', providerOptions: THOUGHTS }],
  ['google', { thinking: 'disabled' }, { reasoning: 'none' }],
  [
    'anthropic',
    { thinking: 'enabled', budgetTokens: 5_000 },
    { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 5_000 } } } },
  ],
  ['other', { effort: 'max' }, { reasoning: 'high' }],
  ['other', { thinking: 'enabled', budgetTokens: 64_000 }, {}],
  ['other', { thinking: 'disabled' }, {}],
])('asks %s for %o as %o', (family, wish, expected) => {
  expect(reasoningOptions(wish, { family, provider: family })).toEqual(expected);
});
