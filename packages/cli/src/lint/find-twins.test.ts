import { createSnapshot, parseTools, type Tool } from '@quartermaster/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findTwins } from './find-twins.ts';
import { wordsOf } from './words.ts';

const VOCABULARY = 'red green blue black white grey pink brown orange purple cyan amber olive teal'.split(' ');

/** Every pair compared by its definition. */
function naiveTwins(tools: readonly Tool[]): ReadonlySet<string> {
  const sets = tools.map((tool) => ({ tool, words: new Set(wordsOf(tool.description)) }));
  const large = sets.filter(({ words }) => words.size >= 4);
  const isTwin = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => {
    const shared = [...a].filter((word) => b.has(word)).length;
    return shared / (a.size + b.size - shared) >= 0.9;
  };
  const twins = large.filter((one) => large.some((other) => other !== one && isTwin(one.words, other.words)));
  return new Set(twins.map(({ tool }) => tool.id));
}

it('finds the tools that a comparison of every pair finds', () => {
  const description = fc.subarray(VOCABULARY, { minLength: 2 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(description, { maxLength: 30 }), (texts) => {
      const tools = texts.map((text, index) => ({ name: `tool_${index}`, description: text, inputSchema: {} }));
      const snapshot = createSnapshot(parseTools(tools).tools);
      const found = new Set([...findTwins(snapshot.tools).keys()].map(({ id }) => id));
      expect(found).toEqual(naiveTwins(snapshot.tools));
    }),
  );
});
