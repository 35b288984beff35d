import { FORMS, type Form } from '@quartermaster/core/disclosure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeHistory,
  type HistoryTurns,
  historyTurns,
  renderHistory,
} from '../internal/generated-history.fixture.ts';
import type { GeminiContent, GeminiPart, GeminiRequest } from './gemini-shapes-2026-11.ts';
import { createGeminiWire } from './gemini-wire.ts';

const wire = createGeminiWire();

/** Searches and what follows them share a content, calls end it; responses to parallel calls come in any order. */
function toContents(turns: HistoryTurns): readonly GeminiContent[] {
  let count = 0;
  const unique = (prefix: string): string => {
    count += 1;
    return `${prefix}_${count}`;
  };
  return turns.flatMap((rounds, turn): readonly GeminiContent[] => {
    const contents: GeminiContent[] = [{ role: 'user', parts: [{ text: `Turn ${turn}`, futureField: turn }] }];
    let parts: GeminiPart[] = [];
    const say = (...more: readonly GeminiPart[]): void => {
      if (parts.length === 0) contents.push({ role: 'model', parts });
      parts.push(...more);
    };
    for (const one of rounds) {
      if (one.kind === 'text') say({ text: one.text });
      if (one.kind === 'searches') {
        const ids = one.found.map(() => unique('search'));
        const toolType = 'TOOL_SEARCH';
        say(...ids.map((id) => ({ toolCall: { id, toolType, args: { query: id } }, thoughtSignature: id })));
        say(
          ...one.found.map((toolNames, index) => ({
            toolResponse: { id: ids[index] ?? '', toolType, response: { toolNames, queries: [ids[index] ?? ''] } },
          })),
        );
      }
      if (one.kind === 'calls') {
        const calls = one.names.map((called) => ({
          name: called,
          ...(one.hasIds ? { id: unique('call') } : {}),
        }));
        say(...calls.map((call) => ({ functionCall: { ...call, args: {} } })));
        const responses = calls.map((call) => ({ functionResponse: { ...call, response: { output: call.name } } }));
        contents.push({ role: 'user', parts: rotate(responses, one.order) });
        parts = [];
      }
    }
    return contents;
  });
}

function rotate<Value>(values: readonly Value[], by: number): Value[] {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}

function render(contents: readonly GeminiContent[], form: Form): GeminiRequest {
  return renderHistory(wire, { contents }, form);
}

/** Each turn of the model's with the responses right after it: names in order. */
function exchanges(contents: readonly GeminiContent[]): readonly { calls: unknown[]; responses: unknown[] }[] {
  const all: { calls: unknown[]; responses: unknown[] }[] = [];
  let isAnswering = true;
  for (const content of contents) {
    if (content.role === 'model' && isAnswering) all.push({ calls: [], responses: [] });
    isAnswering = content.role !== 'model';
    if (all.length === 0) all.push({ calls: [], responses: [] });
    for (const part of content.parts ?? []) {
      if (part.functionCall !== undefined) all.at(-1)?.calls.push(part.functionCall.name);
      if (part.functionResponse !== undefined) all.at(-1)?.responses.push(part.functionResponse.name);
    }
  }
  return all;
}

const forms = Object.entries({ stub: FORMS.stub, bridge: FORMS.bridge, load: FORMS.load });

describe.each(forms)('a history in the form %s', (_, form) => {
  it('has as many responses as calls in each exchange, in one order, whatever compaction left', () => {
    fc.assert(
      fc.property(historyTurns, fc.infiniteStream(fc.boolean()), (turns, keep) => {
        const contents = toContents(turns).flatMap((content) => {
          const parts = (content.parts ?? []).filter(() => keep.next().value || keep.next().value);
          return parts.length === 0 ? [] : [{ ...content, parts }];
        });
        for (const { calls, responses } of exchanges(render(contents, form).contents)) expect(responses).toEqual(calls);
      }),
    );
  });

  it('keeps every other part, its unknown fields and its signatures', () => {
    fc.assert(
      fc.property(historyTurns, (turns) => {
        const contents = toContents(turns);
        const texts = (list: readonly GeminiContent[]): unknown[] =>
          list.flatMap(({ parts = [] }) =>
            parts.flatMap(({ text, futureField }) => (text === undefined ? [] : [[text, futureField]])),
          );
        const rendered = render(contents, form).contents;
        expect(texts(rendered)).toEqual(texts(contents));
        const signatures = (list: readonly GeminiContent[]): unknown[] =>
          list.flatMap(({ parts = [] }) => parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []));
        expect(signatures(rendered)).toEqual(signatures(contents));
      }),
    );
  });

  it('hides our own parts from the upstream', () => {
    fc.assert(
      fc.property(historyTurns, (turns) => {
        const text = JSON.stringify(render(toContents(turns), form));
        expect(text).not.toContain('toolCall');
        expect(text).not.toContain('toolResponse');
      }),
    );
  });
});

describeHistory({
  wire,
  toRequest: (turns): GeminiRequest => ({ contents: toContents(turns) }),
  prefixOf: ({ systemInstruction, tools }) => [systemInstruction, tools],
});
