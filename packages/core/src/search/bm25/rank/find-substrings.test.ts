import { describe, expect, it } from 'vitest';
import { createTool } from '../../../catalog/index.ts';
import { nameKey } from '../../text/characters.ts';
import type { Bm25Index } from '../index/bm25-index.ts';
import { buildBm25Index } from '../index/build-bm25-index.ts';
import { findSubstrings, type SubstringMatch } from './find-substrings.ts';

function indexOf(names: readonly string[]): Bm25Index {
  return buildBm25Index(names.map((name, at) => createTool({ name, server: `server_${at}` })));
}

const ALL = { count: Number.POSITIVE_INFINITY };

describe('findSubstrings', () => {
  const index = indexOf(['get_accounts', 'accounts', 'kubernetes_pods', '++']);

  it.each([
    ['ccount', [1, 0]],
    ['K8s', []],
    ['ERNETES', [2]],
    ['nothing ernetes', [2]],
    ['get acc', [0]],
    ['!', []],
    ['+', []],
  ])('finds the names with %j, the best covered first', (text, tools) => {
    expect(findSubstrings(text, index, ALL).map(({ tool }) => tool)).toEqual(tools);
  });

  it('asks before it names a tool', () => {
    const accept = (tool: number): boolean => tool !== 1;
    expect(findSubstrings('ccount', index, { ...ALL, accept }).map(({ tool }) => tool)).toEqual([0]);
  });

  it('gives no more than are wanted', () => {
    expect(findSubstrings('ccount', index, { count: 1 })).toEqual([{ tool: 1, share: 6 / 8 }]);
  });

  it('agrees with looking for each word in each name, in any script', () => {
    const letters = ['a', 'b', 'ab', 'ba', '_', '-', 'É', 'ß', '請', '求', '請求', '𠮷', '𝒳', '1'];
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      return (seed >>> 8) % below;
    };
    const word = (longest: number): string =>
      Array.from({ length: 1 + next(longest) }, () => letters[next(letters.length)]).join('');
    for (let round = 0; round < 200; round += 1) {
      const names = Array.from({ length: 1 + next(20) }, () => word(8));
      const text = Array.from({ length: 1 + next(20) }, () => word(3)).join(' ');
      const keys = names.map(nameKey);
      expect(findSubstrings(text, indexOf(names), ALL), text).toEqual(searchEach(text, keys));
    }
  });
});

/** The plain way. */
function searchEach(text: string, keys: readonly string[]): readonly SubstringMatch[] {
  const whole = nameKey(text);
  const words = [...new Set(text.split(/\s+/).map(nameKey))].filter((word) => word.length >= 2).slice(0, 16);
  const matching = (parts: readonly string[]): SubstringMatch[] =>
    keys
      .map((key, tool) => {
        const matched = parts.filter((part) => key.includes(part)).reduce((sum, { length }) => sum + length, 0);
        return { tool, share: matched === 0 ? 0 : matched / key.length };
      })
      .filter(({ share }) => share > 0)
      .sort((left, right) => right.share - left.share || left.tool - right.tool);
  if (whole === '') return [];
  const complete = matching([whole]);
  return complete.length > 0 ? complete : matching(words);
}
