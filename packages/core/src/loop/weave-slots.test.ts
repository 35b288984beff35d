import { describe, expect, it } from 'vitest';
import { readSlots, type Slot, weaveSlots } from './woven-history.ts';

const HIDDEN = { type: 'hidden' };
const key = (piece: string): string => piece.split(':')[0] ?? '';

describe('weaveSlots', () => {
  it.each<[string, readonly Slot[], readonly string[], readonly unknown[]]>([
    [
      'puts a hidden piece where it was',
      [{ shown: 'a' }, { hidden: HIDDEN }, { shown: 'b' }],
      ['a', 'b'],
      ['a', HIDDEN, 'b'],
    ],
    ['restores the order of the model', [{ shown: 'b' }, { shown: 'a' }], ['a', 'b'], ['b', 'a']],
    [
      'takes pieces of one kind in turn',
      [{ shown: 'text' }, { hidden: HIDDEN }, { shown: 'text' }],
      ['text:1', 'text:2'],
      ['text:1', HIDDEN, 'text:2'],
    ],
    [
      'leaves out what the client has dropped',
      [{ shown: 'a' }, { hidden: HIDDEN }, { shown: 'b' }],
      ['b'],
      [HIDDEN, 'b'],
    ],
    [
      'keeps what the client has added, behind what stood before it',
      [{ shown: 'a' }, { hidden: HIDDEN }],
      ['x', 'a', 'y'],
      ['x', 'a', 'y', HIDDEN],
    ],
  ])('%s', (_, slots, pieces, woven) => {
    expect(weaveSlots(slots, pieces, key)).toEqual(woven);
  });

  it('reads slots from a kept entry, and nothing else', () => {
    expect(readSlots([{ shown: 'a' }, { hidden: HIDDEN }, { shown: 1 }, null, 'a', {}])).toEqual([
      { shown: 'a' },
      { hidden: HIDDEN },
    ]);
    expect(readSlots('a')).toEqual([]);
  });
});
