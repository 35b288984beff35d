import fc from 'fast-check';
import type { AnthropicBlock, AnthropicMessage } from './anthropic-shapes-2026-11.ts';
import { reference, searchCall, searchFound, toolResult, toolUse } from './rendered.fixture.ts';

/** One turn of a conversation: a search or a call, with what came of it. */
export type Turn =
  | { readonly kind: 'searches'; readonly found: readonly (readonly string[])[]; readonly isReversed: boolean }
  | { readonly kind: 'calls'; readonly names: readonly string[]; readonly isReversed: boolean }
  | { readonly kind: 'client'; readonly names: readonly string[] };

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 });
export const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('searches' as const),
      found: fc.array(names, { minLength: 1, maxLength: 2 }),
      isReversed: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('calls' as const), names, isReversed: fc.boolean() }),
    fc.record({ kind: fc.constant('client' as const), names }),
  ),
  { maxLength: 8 },
);

export function messagesOf(turn: Turn, id: string): readonly AnthropicMessage[] {
  switch (turn.kind) {
    case 'searches': {
      const results = turn.found.map((found, index) => searchFound(`${id}_${index}`, found));
      const calls = turn.found.map((_, index) => searchCall(`${id}_${index}`, `query ${index}`));
      return [{ role: 'assistant', content: [...calls, ...(turn.isReversed ? results.reverse() : results)] }];
    }
    case 'calls': {
      const results: AnthropicBlock[] = turn.names.map((_, index) => toolResult(`${id}_${index}`));
      return [
        { role: 'assistant', content: turn.names.map((name, index) => toolUse(`${id}_${index}`, name)) },
        { role: 'user', content: turn.isReversed ? results.reverse() : results },
      ];
    }
    case 'client':
      return [
        { role: 'assistant', content: [toolUse(id, 'ToolSearch', { query: 'x' })] },
        { role: 'user', content: [toolResult(id, turn.names.map(reference))] },
      ];
  }
}

export function revealedBy(turn: Turn): readonly string[] {
  if (turn.kind === 'searches') return turn.found.flat();
  return turn.kind === 'client' ? turn.names : [];
}

export function calledBy(turn: Turn): readonly string[] {
  if (turn.kind === 'client') return ['ToolSearch'];
  return turn.kind === 'calls' ? turn.names : [];
}
