import { createTool } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { wordOverlap } from './word-overlap.ts';

const tool = createTool({
  name: 'sendEmailMessage',
  server: 'gmail',
  description: 'Mails a text.',
  schema: { type: 'object', properties: { reply_to: { type: 'string', enum: ['newest'] } } },
});

describe('wordOverlap', () => {
  it.each([
    ['send email', 1],
    ['Send a GMAIL email', 1],
    ['delete the newest reply', 0.5],
    ['is it ok', 0],
    ['', 0],
    ['東京 send', 0.5],
  ])('%j shares %d of its words', (query, share) => {
    expect(wordOverlap(query, [tool])).toBe(share);
  });

  it('a word of any of the tools counts', () => {
    expect(wordOverlap('send refund', [tool, createTool({ name: 'refund' })])).toBe(1);
  });

  it('without a tool nothing is shared', () => {
    expect(wordOverlap('send', [])).toBe(0);
  });
});
