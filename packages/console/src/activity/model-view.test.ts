import { describe, expect, it } from 'vitest';
import { readModelView } from './model-view.ts';

const TOOL = { name: 'tool_search', description: 'Searches.' };

describe('readModelView', () => {
  it.each([
    ['Anthropic', { system: [{ type: 'text', text: 'Be kind.' }], tools: [TOOL], messages: [{ role: 'user' }] }],
    [
      'Chat',
      {
        messages: [{ role: 'system', content: 'Be kind.' }, { role: 'user' }],
        tools: [{ type: 'function', function: TOOL }],
      },
    ],
    ['Responses', { instructions: 'Be kind.', tools: [{ type: 'function', ...TOOL }], input: [{ role: 'user' }] }],
    [
      'Gemini',
      {
        systemInstruction: { parts: [{ text: 'Be kind.' }] },
        tools: [{ functionDeclarations: [TOOL] }],
        contents: [{ role: 'user' }],
      },
    ],
  ])('finds system text, tools and messages: %s', (_, body) => {
    expect(readModelView(JSON.stringify(body))).toEqual({ system: 'Be kind.', tools: [TOOL], messages: 1 });
  });

  it.each(['{"tools": [', '7', '{"tools": [null, 3, {}]}'])('takes whatever was sent: %s', (request) => {
    expect(readModelView(request)?.tools ?? []).toEqual([]);
  });
});
