import { createSnapshot, createToolbox, type Toolbox } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { FORMS, type Form } from '@quartermaster/core/disclosure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from '../internal/word-searcher.fixture.ts';
import type { GeminiContent, GeminiPart, GeminiRequest } from './gemini-shapes-2026-11.ts';
import { createGeminiWire } from './gemini-wire.ts';

const NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const;
const wire = createGeminiWire();
const toolbox: Toolbox = createToolbox({
  tools: createSnapshot(NAMES.map((name) => createTool({ name, description: `Does ${name}.` }))),
  searcher: wordSearcher,
  settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
});

/** What a model did in one round, as the client's history has it. */
type Round =
  | { readonly kind: 'searches'; readonly found: readonly (readonly string[])[] }
  | { readonly kind: 'calls'; readonly names: readonly string[]; readonly hasIds: boolean; readonly order: number }
  | { readonly kind: 'text'; readonly text: string };

const name = fc.constantFrom(...NAMES);
const round: fc.Arbitrary<Round> = fc.oneof(
  fc.record({
    kind: fc.constant('searches' as const),
    found: fc.array(fc.uniqueArray(name, { maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('calls' as const),
    names: fc.array(name, { minLength: 1, maxLength: 3 }),
    hasIds: fc.boolean(),
    order: fc.nat(5),
  }),
  fc.record({ kind: fc.constant('text' as const), text: fc.string({ minLength: 1 }) }),
);
const conversation = fc.array(fc.array(round, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });

/** Searches and what follows them share a content, calls end it; responses to parallel calls come in any order. */
function toContents(turns: readonly (readonly Round[])[]): readonly GeminiContent[] {
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
  const plan = toolbox.plan(undefined, { form });
  const request: GeminiRequest = { contents };
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
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
      fc.property(conversation, fc.infiniteStream(fc.boolean()), (turns, keep) => {
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
      fc.property(conversation, (turns) => {
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

  it('tells nothing of our own parts to the upstream', () => {
    fc.assert(
      fc.property(conversation, (turns) => {
        const text = JSON.stringify(render(toContents(turns), form));
        expect(text).not.toContain('toolCall');
        expect(text).not.toContain('toolResponse');
      }),
    );
  });
});

describe('memory', () => {
  const plan = toolbox.plan(undefined, { form: FORMS.load });

  it('is what the history says: found tools, then calls, each once', () => {
    fc.assert(
      fc.property(conversation, (turns) => {
        const memory = wire.recall({ contents: toContents(turns) }, plan);
        const rounds = turns.flat();
        expect(memory.revealed).toEqual([
          ...new Set(rounds.flatMap((one) => (one.kind === 'searches' ? one.found.flat() : []))),
        ]);
        const called = rounds.flatMap((one) => (one.kind === 'calls' ? one.names : []));
        expect(memory.called).toEqual([...new Set(called)]);
        expect(memory.moves).toBe(called.length + turns.length);
      }),
    );
  });

  it('of a fork is the beginning of the whole’s', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (turns, cut) => {
        const whole = wire.recall({ contents: toContents(turns) }, plan);
        const fork = wire.recall({ contents: toContents(turns.slice(0, cut % (turns.length + 1))) }, plan);
        expect(whole.revealed.slice(0, fork.revealed.length)).toEqual(fork.revealed);
        expect(whole.searches.slice(0, fork.searches.length)).toEqual(fork.searches);
      }),
    );
  });
});

describe.each([
  ['stub', FORMS.stub],
  ['bridge', FORMS.bridge],
] as const)('the prefix in the form %s', (_, form) => {
  it('is the same to the byte, whatever was said', () => {
    const prefix = (contents: readonly GeminiContent[]): string => {
      const { systemInstruction, tools } = render(contents, form);
      return JSON.stringify([systemInstruction, tools]);
    };
    const first = prefix([{ role: 'user', parts: [{ text: 'Hello' }] }]);
    fc.assert(
      fc.property(conversation, (turns) => {
        expect(prefix(toContents(turns))).toBe(first);
      }),
    );
  });
});
