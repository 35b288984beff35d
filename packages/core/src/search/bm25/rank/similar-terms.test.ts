import { describe, expect, it } from 'vitest';
import { createTool } from '../../../catalog/index.ts';
import { buildBm25Index } from '../index/build-bm25-index.ts';
import { SimilarTerms } from './similar-terms.ts';

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

  it('splits a compound into words that the catalog has', () => {
    expect(similar.splitCompound('webpage')?.map((term) => index.terms.text(term))).toEqual(['web', 'page']);
    expect(similar.splitCompound('webzzzz')).toBeUndefined();
  });
});
