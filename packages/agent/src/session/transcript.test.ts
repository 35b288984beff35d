import { expect, it } from 'vitest';
import { transcript } from './compact.ts';

it.each([40, 42])('the middle of a long conversation makes way, between two characters (%d)', (most) => {
  const said = transcript([{ role: 'user', content: `a${'😀'.repeat(50)}` }], most);
  expect(said).toMatch(/^user: a(?:😀)+…\n\n\[\d+ characters left out\]\n\n(?:😀)+$/u);
});

it('a short one is told whole', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Seen.' }] },
  ];
  expect(transcript(messages, 1_000)).toBe(
    'user: Hi\n\nassistant: [calls look with {"at":1}]\n\nuser: [result: Seen.]',
  );
});
