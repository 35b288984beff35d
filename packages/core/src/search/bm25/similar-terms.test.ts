import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTool } from '../../catalog/index.ts';
import { buildBm25Index } from './build-bm25-index.ts';
import { editDistance, SimilarTerms } from './similar-terms.ts';

const index = buildBm25Index([
  createTool({ name: 'receive_message', description: 'Receive a message from the calendar' }),
  createTool({ name: 'open_web_page', description: 'Opens a page of the web' }),
  createTool({ name: 'calendars', description: 'Every calendar; message templates' }),
]);
const similar = new SimilarTerms(index);

describe('SimilarTerms', () => {
  it.each([
    ['recieve', ['receive']],
    ['calender', ['calendar']],
    ['mesage', ['message']],
    ['messsage', ['message']],
    ['temlpates', ['templates']],
    ['page', []],
    ['zebra', []],
    ['calend4r', []],
  ])('finds %s meant as %j', (word, terms) => {
    expect(similar.findTypos(word).map(({ term }) => index.terms.text(term))).toEqual(terms);
  });

  it('takes a compound apart into words that the catalog has', () => {
    expect(similar.splitCompound('webpage')?.map((term) => index.terms.text(term))).toEqual(['web', 'page']);
    expect(similar.splitCompound('webzzzz')).toBeUndefined();
  });
});

describe('editDistance', () => {
  it.each([
    ['same', 'same', 2, 0],
    ['recieve', 'receive', 2, 1],
    ['cat', 'cut', 2, 1],
    ['cat', 'cats', 2, 1],
    ['kitten', 'sitting', 2, 3],
  ])('is right for %s and %s', (left, right, most, distance) => {
    expect(editDistance(left, right, most)).toBe(distance);
  });

  it('is the same both ways and at most the longer length', () => {
    const word = fc.stringMatching(/^[ab]{0,6}$/);
    fc.assert(
      fc.property(word, word, (left, right) => {
        const distance = editDistance(left, right, 10);
        expect(distance).toBe(editDistance(right, left, 10));
        expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length));
        expect(distance === 0).toBe(left === right);
      }),
    );
  });
});
