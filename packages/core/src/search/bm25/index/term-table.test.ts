import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_TERM, TermTable } from './term-table.ts';

const anyTerm = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '\ud800', '\udc00x', 'Ã©', 'é', '天'),
);

describe('TermTable', () => {
  it('numbers terms like a Map would, and returns their texts', () => {
    fc.assert(
      fc.property(fc.array(anyTerm, { maxLength: 200 }), (terms) => {
        const table = new TermTable();
        const oracle = new Map<string, number>();
        for (const term of terms) {
          if (!oracle.has(term)) {
            oracle.set(term, oracle.size);
          }
          expect(table.internText(term)).toBe(oracle.get(term));
        }
        expect(table.size).toBe(oracle.size);
        for (const [term, number] of oracle) {
          expect(table.text(number)).toBe(term);
          expect(table.findText(term)).toBe(number);
        }
      }),
    );
  });

  it('survives growth and a transfer', () => {
    const table = new TermTable();
    for (let number = 0; number < 50_000; number += 1) {
      expect(table.internText(`term${number}`)).toBe(number);
    }
    const copy = new TermTable(structuredClone(table.toData()));
    expect(copy.size).toBe(50_000);
    expect(copy.findText('term49999')).toBe(49_999);
    expect(copy.findText('term50000')).toBe(NO_TERM);
    expect(() => copy.internText('new')).toThrow(/read-only/);
  });
});
