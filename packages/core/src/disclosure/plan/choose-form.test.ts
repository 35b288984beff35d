import { describe, expect, it } from 'vitest';
import { capabilitiesOf, chooseForm, FORMS, type FormName, TRANSPORTS } from './form.ts';

describe('chooseForm', () => {
  it.each<[string, string, FormName | 'auto', FormName]>([
    ['anthropic-messages', 'claude-sonnet-4-5', 'auto', 'native'],
    ['anthropic-messages', 'claude-sonnet-4-5', 'hosted', 'hosted'],
    ['anthropic-messages', 'claude-haiku-4-5', 'hosted', 'hosted'],
    ['anthropic-messages', 'claude-3-5-haiku-20241022', 'auto', 'bridge'],
    ['anthropic-messages', 'claude-3-5-haiku-20241022', 'hosted', 'bridge'],
    ['bedrock-invoke', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 'hosted', 'hosted'],
    ['bedrock-invoke', 'us.anthropic.claude-3-haiku-20240307-v1:0', 'hosted', 'bridge'],
    ['bedrock-converse', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 'native', 'bridge'],
    ['openai-responses', 'gpt-5.4', 'auto', 'native'],
    ['openai-responses', 'gpt-5.4-mini-2026-03-17', 'auto', 'native'],
    ['openai-responses', 'gpt-5.10', 'auto', 'native'],
    ['openai-responses', 'gpt-6', 'auto', 'native'],
    ['openai-responses', 'gpt-50', 'auto', 'native'],
    ['openai-responses', 'gpt-5', 'auto', 'bridge'],
    ['openai-responses', 'gpt-5-mini', 'native', 'bridge'],
    ['openai-responses', 'gpt-5-2025-08-07', 'hosted', 'bridge'],
    ['openai-responses', 'gpt-5.1-codex', 'auto', 'bridge'],
    ['openai-responses', 'openai/GPT-5.3', 'auto', 'bridge'],
    ['openai-responses', 'gpt-4o', 'native', 'bridge'],
    ['openai-responses', 'gpt-4.1', 'native', 'bridge'],
    ['openai-responses', 'chatgpt-4o-latest', 'auto', 'bridge'],
    ['openai-chat', 'gpt-5.4', 'native', 'bridge'],
    ['openai-chat', 'claude-sonnet-4-5', 'auto', 'bridge'],
    ['openai-chat', 'gpt-5.4', 'stub', 'stub'],
    ['gemini', 'gemini-2.5-pro', 'load', 'load'],
    ['mcp-stateless', '', 'load', 'bridge'],
    ['unheard-of', 'claude-sonnet-4-5', 'auto', 'bridge'],
    ['__proto__', 'claude-sonnet-4-5', 'native', 'bridge'],
  ])('on %s with %s, %s becomes %s', (transport, model, preference, name) => {
    const choice = chooseForm(capabilitiesOf(transport, { model }), preference);
    expect(choice.name).toBe(name);
    expect(choice.form).toEqual(FORMS[name]);
  });

  it('says why a preference was not followed', () => {
    expect(chooseForm(capabilitiesOf('openai-chat'), 'hosted').reason).toBe(
      'The form "hosted" was requested, but needs a hosted search tool and the defer_loading mark, which this transport does not support',
    );
  });

  it('says what is lost in a form that does not keep the prefix', () => {
    const can = capabilitiesOf('openai-chat');
    expect(chooseForm(can, 'load').reason).toContain('reads the whole conversation again');
    expect(chooseForm(can, 'stub').reason).toBe('The form "stub" was requested');
  });

  it('sends the mark and the search tool together, or neither', () => {
    const plain = capabilitiesOf('openai-chat');
    expect(chooseForm({ ...plain, deferMark: true }, 'hosted').name).toBe('bridge');
    expect(chooseForm({ ...plain, hostedSearch: ['openai'] }, 'hosted').name).toBe('bridge');
  });

  it("leaves a client's own references raw where they are known, and declares what they name elsewhere", () => {
    expect(chooseForm(capabilitiesOf('anthropic-messages'), 'client').form).toEqual({
      ...FORMS.client,
      hidden: 'mark',
      reveal: 'native',
    });
    expect(chooseForm(capabilitiesOf('openai-chat'), 'client').form).toEqual(FORMS.client);
  });

  it('follows a table that a user has extended', () => {
    const table = { ...TRANSPORTS, 'my-host': { capabilities: { ...capabilitiesOf('gemini'), references: true } } };
    expect(chooseForm(capabilitiesOf('my-host', { table })).name).toBe('native');
  });
});
