import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../dialect.ts';
import type { ModelTarget } from './model-target.ts';

const OTHER: ModelTarget = { family: 'other', provider: 'local' };
const HELLO = { role: 'user', content: 'Hello' };

describe('unknown messages', () => {
  it.each([null, 5, 'x', [], {}])('is not translated: %j', (junk) => {
    const messages = [junk, HELLO, junk] as never;
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
    expect(DIALECTS.anthropic.codec.toCall({ messages }, OTHER).prompt).toEqual(prompt);
    expect(DIALECTS['openai-chat'].codec.toCall({ messages }, OTHER).prompt).toEqual(prompt);
    expect(DIALECTS['openai-responses'].codec.toCall({ input: messages }, OTHER).prompt).toEqual(prompt);
  });
});
