import { expect, it } from 'vitest';
import type { ModelResult } from './language-model-v4-shapes-2026-11.ts';
import { toAssistantParts } from './to-assistant-parts.ts';
import { ContentAssembler, modelWhole } from './whole.ts';

it('brings a whole result back with everything in it', () => {
  const result: ModelResult = {
    content: [
      { type: 'reasoning', text: 'Hm.', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'Hello.', providerMetadata: { openai: { itemId: 'i' } } },
      { type: 'source', sourceType: 'url', id: 's1', url: 'http://127.0.0.1' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'web', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'a', toolName: 'web', result: { ok: true } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
    ],
    finishReason: { unified: 'stop', raw: 'end_turn' },
    usage: {
      inputTokens: { total: 3, noCache: 1, cacheRead: 2, cacheWrite: undefined },
      outputTokens: { total: 5, text: 4, reasoning: 1 },
      raw: { input_tokens: 3 },
    },
    providerMetadata: { anthropic: { container: 'c' } },
    request: { body: 'sent' },
    response: { id: 'r', modelId: 'm', timestamp: new Date(0), headers: { 'x-id': '1' }, body: { any: 'thing' } },
    warnings: [{ type: 'other', message: 'Careful' }],
  };
  expect(modelWhole.fromParts(modelWhole.toParts(result))).toEqual(result);
});

it('keeps the signature of a text whose later pieces say that they have none, as Google’s provider writes them', () => {
  const signed = { google: { thoughtSignature: 's' } };
  const assembled = new ContentAssembler();
  for (const type of ['text', 'reasoning'] as const) {
    assembled.add({ type: `${type}-start`, id: '0', providerMetadata: signed });
    for (const delta of ['Let me', ' see.']) {
      assembled.add({ type: `${type}-delta`, id: '0', delta, providerMetadata: undefined } as never);
    }
    assembled.add({ type: `${type}-end`, id: '0' });
  }
  expect(toAssistantParts(assembled.content)).toEqual([
    { type: 'text', text: 'Let me see.', providerOptions: signed },
    { type: 'reasoning', text: 'Let me see.', providerOptions: signed },
  ]);
});
