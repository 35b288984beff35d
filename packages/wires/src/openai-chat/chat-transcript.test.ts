import { createTranscriptCache, runWhole } from '@quartermaster/core/loop';
import { describe, expect, it } from 'vitest';
import { openaiChatWire } from './chat-dialect.ts';
import { CREATE, makeToolbox, READ, toolCall, USER } from './chat-run.fixture.ts';
import type { ChatMessage, ChatRequest } from './chat-shapes-2026-11.ts';
import { chatWhole } from './whole.ts';

const THANKS: ChatMessage = { role: 'user', content: 'Thanks' };
const SEARCH = toolCall('call_0', 'tool_search', { query: 'issue' });

/** A conversation in which the client may change what it was answered before it sends it back. */
async function converse(
  rounds: readonly Omit<ChatMessage, 'role'>[],
  change: (message: ChatMessage) => ChatMessage = (message) => message,
): Promise<{ readonly answer: ChatMessage; readonly seen: readonly ChatMessage[] }> {
  const toolbox = makeToolbox();
  const transcript = createTranscriptCache().storeFor('client');
  const requests: ChatRequest[] = [];
  const ask = async (messages: readonly ChatMessage[], list: readonly Omit<ChatMessage, 'role'>[]) => {
    const left = [...list];
    const { choices } = await runWhole({
      ...{ wire: openaiChatWire, whole: chatWhole, toolbox, transcript },
      plan: toolbox.plan(undefined, { form: 'bridge' }),
      request: { model: 'some-model', messages, tools: [READ, CREATE] } as ChatRequest,
      async upstream(request) {
        requests.push(request);
        const message = { role: 'assistant', ...left.shift() } as ChatMessage;
        return { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] };
      },
    });
    return choices[0]?.message ?? { role: 'assistant' };
  };
  const answer = await ask([USER], rounds);
  await ask([USER, change(answer), THANKS], [{ content: 'Bye.' }]);
  return { answer, seen: requests.at(-1)?.messages.slice(2, -1) ?? [] };
}

const [FIRST, SECOND] = [
  { reasoning_content: 'Search. ', reasoning_details: [{ type: 'text', text: 'Search.', signature: 'a' }] },
  { reasoning_content: 'Tell.', reasoning_details: [{ type: 'text', text: 'Tell.', signature: 'b' }] },
];
const ROUNDS = [
  { content: 'Let me see.', ...FIRST, tool_calls: [SEARCH] },
  { content: 'There is one.', ...SECOND },
];

describe('a message of several rounds', () => {
  it('is divided into them again, with the reasoning of each', async () => {
    const { answer, seen } = await converse(ROUNDS);
    expect(answer).toMatchObject({
      content: 'Let me see.\n\nThere is one.',
      reasoning_content: 'Search. Tell.',
      reasoning_details: [{ signature: 'a' }, { signature: 'b' }],
    });
    const [searched, , told] = seen;
    expect(searched).toEqual({ role: 'assistant', ...ROUNDS[0] });
    expect(told).toEqual({ role: 'assistant', ...ROUNDS[1] });
  });

  it('has nothing in its last round that only an earlier one wrote', async () => {
    const { seen } = await converse([ROUNDS[0] ?? {}, { content: 'There is one.' }]);
    expect(seen.at(-1)).toEqual({ role: 'assistant', content: 'There is one.' });
  });

  it.each([
    ['leaves out', undefined],
    ['took from the last round', SECOND?.reasoning_content],
    ['has changed', 'Cut.'],
  ])('keeps the earlier rounds as they were, and reasoning that its client %s', async (_, reasoning) => {
    const { seen } = await converse(ROUNDS, ({ reasoning_content: __, ...message }) =>
      reasoning === undefined ? message : { ...message, reasoning_content: reasoning },
    );
    expect(seen[0]).toEqual({ role: 'assistant', ...ROUNDS[0] });
    expect(seen.at(-1)).toMatchObject({ content: 'There is one.', reasoning_details: SECOND?.reasoning_details });
    expect(seen.at(-1)?.reasoning_content).toBe(reasoning);
  });
});
