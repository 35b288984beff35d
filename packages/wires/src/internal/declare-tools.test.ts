import { createSnapshot } from '@quartermaster/core';
import { type DeferPlan, FORMS } from '@quartermaster/core/disclosure';
import { describe, expect, it } from 'vitest';
import { openaiChatWire } from '../openai-chat/chat-dialect.ts';
import { openaiResponsesWire } from '../openai-responses/responses-dialect.ts';

/** A plan that has nothing to declare: of a request without tools, or with a search among none. */
const NOTHING: DeferPlan = {
  kind: 'defer',
  snapshot: createSnapshot([]),
  form: FORMS.client,
  engine: 'text',
  deferred: new Set(),
  own: [],
  shown: [],
  definitions: [],
  reason: 'There are no tools',
  tokens: { before: 0, after: 0 },
};
const VIEW = { plan: NOTHING, revealed: [] };
const CHOICE = { tool_choice: 'auto', parallel_tool_calls: true };

describe.each([
  {
    wire: 'chat',
    body: { messages: [{ role: 'user' as const, content: 'Hello' }] },
    render: (request: object) => openaiChatWire.render({ messages: [], ...request }, VIEW, String),
  },
  {
    wire: 'responses',
    body: { input: 'Hello' },
    render: (request: object) => openaiResponsesWire.render({ ...request }, VIEW, String),
  },
])('the $wire wire', ({ body, render }) => {
  it.each([
    ['without tools', {}],
    ['with an empty list', { tools: [] }],
    ['with null', { tools: null }],
  ])('renders a request %s without any, and keeps the rest', (_, tools) => {
    expect(render({ ...body, ...CHOICE, ...tools })).toEqual({ ...body, ...CHOICE });
    expect(render({ ...body, ...tools })).not.toHaveProperty('tools');
  });
});

describe('the responses wire', () => {
  it('leaves out a choice among tools of which none is declared', () => {
    const request = { input: 'Hello', tools: [{ type: 'tool_search' }], ...CHOICE };
    expect(openaiResponsesWire.render(request, VIEW, String)).toEqual({ input: 'Hello' });
  });
});
