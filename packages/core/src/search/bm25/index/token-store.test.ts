import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Token, TokenKind, tokenize } from '../../text/tokenize.ts';
import { TermTable } from './term-table.ts';
import { TokenStore, TWO_UNITS } from './token-store.ts';

function read(store: TokenStore, start: number): Token[] {
  const tokens: Token[] = [];
  for (let at = start; at < store.size; at += 1) {
    let token = store.units[at] ?? 0;
    if (token >= TWO_UNITS) {
      at += 1;
      token = ((token - TWO_UNITS) << 16) | (store.units[at] ?? 0);
    }
    tokens.push({ text: store.terms.text(token >>> 2), kind: token & 3 });
  }
  return tokens;
}

/** A table with more terms than a token of one unit can have. */
function createLargeTable(): TermTable {
  const terms = new TermTable();
  for (let number = 0; number < TWO_UNITS / 4; number += 1) {
    terms.internText(`term${number}`);
  }
  return terms;
}

const anyText = fc
  .array(fc.constantFrom('get', 'user', 'getUserById', 'term7', '天气', 'extraordinarily', 'x', '42'), { maxLength: 8 })
  .map((words) => words.join(' '));

describe('TokenStore', () => {
  it.each([
    ['few terms', (): TermTable => new TermTable()],
    ['many terms', createLargeTable],
  ])('holds the tokens of texts with %s, new and repeated', (_, createTable) => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 12 }), (texts) => {
        const store = new TokenStore(createTable());
        for (const text of [...texts, ...texts]) {
          const { size, words } = store;
          store.addRepeating(text);
          const expected = tokenize(text);
          expect(read(store, size)).toEqual(expected);
          expect(store.words - words).toBe(expected.filter(({ kind }) => kind === TokenKind.word).length);
        }
        for (const { text, kind } of texts.flatMap(tokenize)) {
          expect((store.uses[store.terms.findText(text)] ?? 0) & (1 << kind)).not.toBe(0);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('continues when caching stops being worthwhile', () => {
    const store = new TokenStore(new TermTable());
    const texts = Array.from({ length: 6_000 }, (_, number) => `description number ${number} of a parameter`);
    for (const text of texts) {
      store.addRepeating(text);
    }
    const { size } = store;
    store.addRepeating(texts[10] ?? '');
    store.addRepeating(texts[5_990] ?? '');
    expect(read(store, size)).toEqual([...tokenize(texts[10] ?? ''), ...tokenize(texts[5_990] ?? '')]);
  });

  it('reads at most 8,192 tokens of one text', () => {
    const store = new TokenStore(new TermTable());
    expect(store.add('word '.repeat(10_000))).toBe(8_192);
    expect(store.add('getUserById')).toBe(5);
  });
});
