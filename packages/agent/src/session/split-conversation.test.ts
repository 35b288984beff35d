import type { AnthropicMessage } from '@quartermaster/wires/anthropic';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitConversation } from './compact.ts';
import { messageTokens } from './message-tokens.ts';

const kinds: Record<string, AnthropicMessage> = {
  asked: { role: 'user', content: 'x'.repeat(100) },
  said: { role: 'assistant', content: [{ type: 'text', text: 'y'.repeat(60) }] },
  called: { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'n', input: {} }] },
  answered: { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'z'.repeat(200) }] },
};

it('keeps an end that fits and begins with no orphan, and as much of it as fits', () => {
  const turn = fc.constantFrom(['asked', 'said'], ['asked', 'called', 'answered'], ['called', 'answered', 'said']);
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 300 }), (turns, keep) => {
      const messages = turns.flat().map((kind) => ({ ...kinds[kind] }) as AnthropicMessage);
      const names = turns.flat();
      const split = splitConversation(messages, keep);
      const tokensFrom = (start: number): number =>
        messages.slice(start).reduce((sum, one) => sum + messageTokens(one), 0);
      const starts = messages.map((_, index) => index).filter((index) => index > 0 && names[index] !== 'answered');
      const fitting = starts.filter((start) => tokensFrom(start) <= keep);
      const expected = fitting[0] ?? starts.at(-1);
      expect(split?.dropped.length).toBe(expected);
      if (split !== undefined) expect([...split.dropped, ...split.kept]).toEqual(messages);
    }),
  );
});

it('counts an image by what it costs, not by its characters', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400_000) };
  expect(messageTokens({ role: 'user', content: [{ type: 'image', source }] })).toBeLessThan(2_000);
});
