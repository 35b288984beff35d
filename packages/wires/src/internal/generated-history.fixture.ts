import { createSnapshot, createToolbox, type Toolbox } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { FORMS, type Form } from '@quartermaster/core/disclosure';
import type { Wire } from '@quartermaster/core/loop';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordSearcher } from './word-searcher.fixture.ts';

const NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const;
const toolbox: Toolbox = createToolbox({
  tools: createSnapshot(NAMES.map((name) => createTool({ name, description: `Does ${name}.` }))),
  searcher: wordSearcher,
  settings: { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] },
});

/** What a model did in one round, as the client's messages have it. */
export type HistoryRound =
  | { readonly kind: 'searches'; readonly found: readonly (readonly string[])[] }
  | {
      readonly kind: 'calls';
      readonly names: readonly string[];
      /** Whether calls have ids, and by how many places their results are rotated. */
      readonly hasIds: boolean;
      readonly order: number;
    }
  | { readonly kind: 'text'; readonly text: string };

/** The rounds of each turn. */
export type HistoryTurns = readonly (readonly HistoryRound[])[];

const name = fc.constantFrom(...NAMES);
const round: fc.Arbitrary<HistoryRound> = fc.oneof(
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
export const historyTurns: fc.Arbitrary<HistoryTurns> = fc.array(fc.array(round, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});

/** A request as the upstream gets it. */
export function renderHistory<Request, Part>(wire: Wire<Request, Part>, request: Request, form: Form): Request {
  const plan = toolbox.plan(undefined, { form });
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}

export interface HistorySample<Request, Part> {
  readonly wire: Wire<Request, Part>;
  /** The request that a client sends after these turns. */
  readonly toRequest: (turns: HistoryTurns) => Request;
  /** What precedes the first message. */
  readonly prefixOf: (rendered: Request) => unknown;
}

/** What holds for the memory and the prefix of every wire that reads searches from its client's messages. */
export function describeHistory<Request, Part>(sample: HistorySample<Request, Part>): void {
  const { wire, toRequest, prefixOf } = sample;

  describe('memory', () => {
    const plan = toolbox.plan(undefined, { form: FORMS.load });

    it('is what the messages say: found tools, then calls, each once', () => {
      fc.assert(
        fc.property(historyTurns, (turns) => {
          const memory = wire.recall(toRequest(turns), plan);
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
        fc.property(historyTurns, fc.nat(), (turns, cut) => {
          const whole = wire.recall(toRequest(turns), plan);
          const fork = wire.recall(toRequest(turns.slice(0, cut % (turns.length + 1))), plan);
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
      const prefix = (turns: HistoryTurns): string =>
        JSON.stringify(prefixOf(renderHistory(wire, toRequest(turns), form)));
      const first = prefix([[]]);
      fc.assert(
        fc.property(historyTurns, (turns) => {
          expect(prefix(turns)).toBe(first);
        }),
      );
    });
  });
}
