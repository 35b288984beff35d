import { describe, expect, it } from 'vitest';
import { stubDescription } from '../plan/make-plan.ts';
import { firstSentence } from './shorten-text.ts';

describe('the first sentence', () => {
  it.each([
    ['Sends mail (e.g. invoices) to people. Needs a key.', 'Sends mail (e.g. invoices) to people'],
    ['Runs a check, e.g. a linter. Slow.', 'Runs a check, e.g. a linter'],
    ['Lists files, i.e. names. Fast.', 'Lists files, i.e. names'],
    ['Lists names, sizes etc. of a folder. Fast.', 'Lists names, sizes etc. of a folder'],
    ['Lists names, sizes etc. Needs a path.', 'Lists names, sizes etc'],
    ['Ships to U.S. customers. Slow.', 'Ships to U.S. customers'],
    ['Compares a vs. b. Slow.', 'Compares a vs. b'],
    ['Reads (see docs. And more) it. Then writes.', 'Reads (see docs. And more) it'],
    ['Is it there? Tells.', 'Is it there?'],
    ['Uses version 2.0 of it. Fast.', 'Uses version 2.0 of it'],
    ['读取文件。然后写入。', '读取文件'],
    ['One line (never closed\nAnd more. Then others.', 'One line (never closed And more. Then others'],
  ])('of %j', (description, sentence) => {
    expect(firstSentence(description, 200)).toBe(sentence);
  });

  it('is also where a stub is cut', () => {
    const description = `Sends mail to people of a company (e.g. Acme. Or others) at once. ${'And so on '.repeat(20)}`;
    expect(stubDescription(description, 75)).toBe(
      'Sends mail to people of a company (e.g. Acme. Or others) at once. …',
    );
  });
});
