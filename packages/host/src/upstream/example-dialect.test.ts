import { readFileSync } from 'node:fs';
import { createToolbox, parseTools } from '@quartermaster/core';
import { FORMS } from '@quartermaster/core/disclosure';
import { runWhole } from '@quartermaster/core/loop';
import type { ChatCompletion, ChatRequest } from '@quartermaster/wires/openai-chat';
import { describe, expect, it } from 'vitest';
import { acme } from './example-dialect.fixture.ts';

const root = new URL('../../../../', import.meta.url);

function answer(message: object, reason: string): ChatCompletion {
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: reason };
  return {
    id: 'c1',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [choice],
  } as unknown as ChatCompletion;
}

describe('the example of another dialect', () => {
  it('is the same in the guide for contributors', () => {
    const source = readFileSync(new URL('./example-dialect.fixture.ts', import.meta.url), 'utf8');
    expect(readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  it('goes through the loop with a search, and reaches its host in its own way', async () => {
    const definitions = ['send_mail', 'list_files', 'open_issue'].map((name) => ({
      type: 'function',
      function: { name, description: name.replace('_', ' '), parameters: { type: 'object' } },
    }));
    const { tools } = parseTools(definitions, { format: 'openai-chat', missingDeferral: 'always' });
    const toolbox = createToolbox({ tools });
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: definitions } as ChatRequest;
    const call = { id: 'call_1', type: 'function', function: { name: 'tool_search', arguments: '{"query":"mail"}' } };
    const answers = [
      answer({ content: null, tool_calls: [call] }, 'tool_calls'),
      answer({ content: 'Found it.' }, 'stop'),
    ];
    const sent: ChatRequest[] = [];
    const plan = toolbox.plan(undefined, { form: FORMS.bridge });
    const response = await runWhole({
      ...{ wire: acme.wire, whole: acme.whole, toolbox, plan, request },
      async upstream(rendered) {
        sent.push(rendered);
        return answers[sent.length - 1] ?? answer({}, 'stop');
      },
    });
    expect(response.choices[0]?.message.content).toBe('Found it.');
    expect(JSON.stringify(sent[1])).toContain('send_mail');
    const headers = new Headers();
    acme.endpoint.authorize(headers, 'secret');
    expect([...headers]).toEqual([['acme-key', 'secret']]);
    expect(acme.api.errorBody({ type: 'api_error', message: 'Down' }, 'req_1')).toEqual({ fault: 'Down' });
  });
});
