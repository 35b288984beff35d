import { expect, it } from 'vitest';
import { openConversation } from './conversation.ts';
import { createMemorySessionStore, replay, type SessionStore } from './session-store.ts';

const HELLO = { role: 'user', content: 'Hello.' } as const;
const AGAIN = { role: 'user', content: 'Again.' } as const;
const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'send', input: {} }] } as const;

/** A store that fails to write once, and is well before and after. */
function failingOnce(store: SessionStore): SessionStore {
  let isBroken = true;
  return {
    ...store,
    async append(id, records) {
      if (isBroken) {
        isBroken = false;
        throw new Error('The disk is full');
      }
      await store.append(id, records);
    },
  };
}

it.each([
  ['resumed', false, 'old'],
  ['forked', true, 'new'],
])('what a %s session begins with is not lost when it could not be written at first', async (_what, isFork, id) => {
  const store = createMemorySessionStore();
  await store.append('old', [
    { kind: 'message', message: HELLO },
    { kind: 'message', message: CALL },
  ]);
  const conversation = await openConversation({
    ...{ sessionId: 'new', resume: 'old', isFork },
    store: failingOnce(store),
  });
  const begun = conversation.messages;
  expect(begun).toMatchObject([HELLO, CALL, { role: 'user', content: [{ tool_use_id: 'toolu_1' }] }]);
  await expect(conversation.append(HELLO)).rejects.toThrow('The disk is full');
  await conversation.append(AGAIN);
  expect(replay((await store.read(id)) ?? [])).toEqual([...begun, AGAIN]);
});
