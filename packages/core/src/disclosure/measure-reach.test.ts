import { expect, it } from 'vitest';
import { measureReach } from './measure-reach.ts';
import { EMPTY_MEMORY, type Fact, remember } from './memory.ts';

it('counts conversations by how far they got', () => {
  const searched = (...names: string[]): Fact => ({ kind: 'searched', queries: ['x'], names });
  const conversations: readonly (readonly Fact[])[] = [
    [],
    [{ kind: 'asked' }],
    [searched()],
    [searched(), searched('a')],
    [searched('a'), { kind: 'called', name: 'a' }, { kind: 'called', name: 'b' }],
    [
      { kind: 'revealed', names: ['a'] },
      { kind: 'called', name: 'a' },
    ],
  ];
  const memories = conversations.map((facts) => facts.reduce(remember, EMPTY_MEMORY));
  expect(measureReach(memories)).toEqual({ conversations: 6, searched: 3, found: 2, called: 2 });
  expect(measureReach([])).toEqual({ conversations: 0, searched: 0, found: 0, called: 0 });
});
