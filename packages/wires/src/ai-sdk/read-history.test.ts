import { FORMS, type Form } from '@quartermaster/core/disclosure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeHistory,
  type HistoryTurns,
  historyTurns,
  renderHistory,
} from '../internal/generated-history.fixture.ts';
import { aiSdkWire } from './ai-sdk-wire.ts';
import type { AssistantPart, ModelMessage, ModelRequest, ResultPart } from './language-model-v4-shapes-2026-11.ts';

/** Searches and what follows them share a message, calls end it; results of parallel calls come in reverse. */
function toPrompt(turns: HistoryTurns): ModelMessage[] {
  let count = 0;
  const unique = (): string => {
    count += 1;
    return `call_${count}`;
  };
  return turns.flatMap((rounds, turn): ModelMessage[] => {
    const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: `Turn ${turn}` }] }];
    let content: AssistantPart[] = [];
    const say = (...parts: readonly AssistantPart[]): void => {
      if (content.length === 0) messages.push({ role: 'assistant', content });
      content.push(...parts);
    };
    for (const one of rounds) {
      if (one.kind === 'text') say({ type: 'text', text: one.text, providerOptions: { future: { turn } } });
      if (one.kind === 'searches') say(...searchParts(one.found.map((names) => ({ id: unique(), names }))));
      if (one.kind === 'calls') {
        const calls = one.names.map((toolName) => ({ toolCallId: unique(), toolName }));
        say(...calls.map((call) => ({ type: 'tool-call' as const, ...call, input: {} })));
        const results = calls.map(
          (call): ResultPart => ({ type: 'tool-result', ...call, output: { type: 'text', value: 'x' } }),
        );
        messages.push({ role: 'tool', content: results.reverse() });
        content = [];
      }
    }
    return messages;
  });
}

function searchParts(
  searches: readonly { readonly id: string; readonly names: readonly string[] }[],
): readonly AssistantPart[] {
  const common = { toolName: 'tool_search', providerOptions: { quartermaster: { role: 'search' } } };
  return [
    ...searches.map(({ id }): AssistantPart => {
      return { type: 'tool-call', toolCallId: id, input: { query: id }, providerExecuted: true, ...common };
    }),
    ...searches.map(({ id, names }): AssistantPart => {
      const value = { toolNames: [...names], queries: [id] };
      return { type: 'tool-result', toolCallId: id, output: { type: 'json', value }, ...common };
    }),
  ];
}

function render(prompt: ModelMessage[], form: Form): ModelRequest {
  return renderHistory(aiSdkWire, { prompt }, form);
}

/** Calls without a result before the assistant speaks again, and results without a call. */
function unpaired(prompt: readonly ModelMessage[]): readonly string[] {
  const wrong: string[] = [];
  const open = new Map<string, string>();
  for (const message of prompt) {
    if (message.role === 'user') wrong.push(...open.keys());
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') open.set(part.toolCallId, part.toolName);
      if (part.type !== 'tool-result') continue;
      if (open.get(part.toolCallId) !== part.toolName) wrong.push(`${part.toolCallId} answers nothing`);
      open.delete(part.toolCallId);
    }
  }
  return [...wrong, ...open.keys()];
}

const forms = Object.entries({ stub: FORMS.stub, bridge: FORMS.bridge, load: FORMS.load });

describe.each(forms)('a prompt in the form %s', (_, form) => {
  it('leaves no call and no result alone, whatever compaction left', () => {
    fc.assert(
      fc.property(historyTurns, fc.infiniteStream(fc.boolean()), (turns, keep) => {
        const isKept = (): boolean => keep.next().value || keep.next().value;
        const prompt = toPrompt(turns).flatMap((message): ModelMessage[] => {
          if (message.role === 'assistant') return [{ ...message, content: message.content.filter(isKept) }];
          if (message.role === 'tool') return [{ ...message, content: message.content.filter(isKept) }];
          return isKept() ? [message] : [];
        });
        expect(unpaired(render(prompt, form).prompt)).toEqual([]);
      }),
    );
  });

  it('keeps every other part and what a provider put beside it, and nothing of ours', () => {
    fc.assert(
      fc.property(historyTurns, (turns) => {
        const texts = (prompt: readonly ModelMessage[]): unknown[] =>
          prompt.flatMap(({ role, content }) =>
            role === 'system' || typeof content === 'string' ? [] : content.filter((part) => part.type === 'text'),
          );
        const prompt = toPrompt(turns);
        const rendered = render(prompt, form).prompt;
        expect(texts(rendered)).toEqual(texts(prompt));
        expect(JSON.stringify(rendered)).not.toMatch(/quartermaster|providerExecuted/);
      }),
    );
  });
});

describeHistory({
  wire: aiSdkWire,
  toRequest: (turns): ModelRequest => ({ prompt: toPrompt(turns) }),
  prefixOf: ({ prompt, tools }) => [prompt.filter(({ role }) => role === 'system'), tools],
});
