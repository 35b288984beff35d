import type { AnthropicMessage, AnthropicRequest } from '@quartermaster/wires/anthropic';
import { describe, expect, it } from 'vitest';
import { type Compacting, compact } from './compact.ts';

const long = 'lorem ipsum '.repeat(100);
const messages: readonly AnthropicMessage[] = [
  { role: 'user', content: `Plan the party. ${long}` },
  { role: 'assistant', content: [{ type: 'text', text: long }] },
  { role: 'user', content: 'Now invite Ada.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'invite', input: { who: 'Ada' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: long }] },
];

function compacting(ask: Compacting['ask'], more: Partial<Compacting> = {}): Compacting {
  return { messages, contextTokens: 2_000, model: 'm', ask, signal: new AbortController().signal, ...more };
}

describe('a compacted conversation', () => {
  it('begins with the model’s summary and the user’s latest words, and ends as it did', async () => {
    const asked: AnthropicRequest[] = [];
    const result = await compact(
      compacting(async (request) => {
        asked.push(request);
        return { content: [{ type: 'text', text: 'A party is planned.' }], usage: { input_tokens: 1 } };
      }),
    );
    expect(asked[0]?.tools).toBeUndefined();
    expect(result?.usage).toEqual({ input_tokens: 1 });
    expect(result?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(result?.messages.slice(1)).toEqual(messages.slice(3));
    expect(JSON.stringify(result?.messages[0])).toContain('A party is planned.');
    expect(JSON.stringify(result?.messages[0])).toContain('Now invite Ada.');
  });

  it('has the user’s words where the model can’t be asked', async () => {
    const result = await compact(compacting(() => Promise.reject(new Error('down'))));
    expect(JSON.stringify(result?.messages[0])).toContain('Plan the party.');
  });

  it('asks within the window, however long the conversation', async () => {
    const asked: AnthropicRequest[] = [];
    const grown = [...Array.from({ length: 200 }, () => messages.slice(0, 2)).flat(), ...messages];
    await compact(
      compacting(
        async (request) => {
          asked.push(request);
          return { content: [] };
        },
        { messages: grown },
      ),
    );
    expect(JSON.stringify(asked[0]).length).toBeLessThan(2_000 * 4);
  });

  it('is not made where nothing can be left out, nor after an abort', async () => {
    const ask: Compacting['ask'] = async () => ({ content: [] });
    expect(await compact(compacting(ask, { messages: messages.slice(0, 1) }))).toBeUndefined();
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(compact(compacting(() => Promise.reject(new Error('x')), { signal }))).rejects.toThrow('gone');
  });
});
