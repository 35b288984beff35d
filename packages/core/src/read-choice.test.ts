import { expect, it } from 'vitest';
import { readChoice } from './read-choice.ts';

it('gives back what is allowed, and names all that is for anything else', () => {
  expect(readChoice('engine', 'text', ['text', 'regex'])).toBe('text');
  for (const value of ['Text', 'regx', '', 7, null, undefined, {}]) {
    expect(() => readChoice('engine', value, ['text', 'regex'])).toThrow(/^engine is .+; allowed: text, regex$/);
  }
});
