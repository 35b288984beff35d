import { describe, expect, it } from 'vitest';
import { CODECS } from './codecs.ts';
import type { ModelTarget } from './model-target.ts';

const OTHER: ModelTarget = { family: 'other', provider: 'local' };
const HELLO = { role: 'user', content: 'Hello' };

describe('what is no message', () => {
  it.each([null, 5, 'x', [], {}])('is not translated: %j', (junk) => {
    const messages = [junk, HELLO, junk] as never;
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
    expect(CODECS.anthropic.toCall({ messages }, OTHER).prompt).toEqual(prompt);
    expect(CODECS['openai-chat'].toCall({ messages }, OTHER).prompt).toEqual(prompt);
    expect(CODECS['openai-responses'].toCall({ input: messages }, OTHER).prompt).toEqual(prompt);
  });
});
