import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import fixture from './pieces.fixture.json' with { type: 'json' };
import { PieceTable, splitPieces } from './static-model.ts';

describe('splitPieces', () => {
  const { vocabulary } = fixture;
  const table = new PieceTable(vocabulary);
  const split = (text: string): (string | undefined)[] => splitPieces(text, table).map((row) => vocabulary[row]);

  it.each(fixture.cases)('splits $text as training does', ({ text, pieces }) => {
    expect(split(text)).toEqual(pieces);
  });

  it('passes over lone surrogates', () => {
    expect(split('\ud800file\udc00')).toEqual(['file']);
  });

  it('splits as the rules say, word by word', () => {
    const parts = [
      ...vocabulary.map((piece) => piece.replace('##', '')),
      'A',
      'Z',
      'x',
      '7',
      '_',
      '-',
      ' ',
      'é',
      'ы',
      '\ud800',
    ];
    const part = fc.constantFrom(...parts);
    const cased = fc.tuple(part, fc.constantFrom(0, 1, 2)).map(([text, form]) => {
      if (form === 0) return text;
      return form === 1 ? text.toUpperCase() : text.charAt(0).toUpperCase() + text.slice(1);
    });
    fc.assert(
      fc.property(fc.array(cased, { maxLength: 12 }), (texts) => {
        expect(split(texts.join(''))).toEqual(naiveSplit(texts.join(''), vocabulary));
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads a text and a word of any length', () => {
    expect(split(`${'file '.repeat(20_000)}${'x'.repeat(50_000)}`)).toHaveLength(20_000);
    expect(split(`get${'log'.repeat(30)}`)).toEqual([]);
    expect(split(`é ${'A'.repeat(60_000)} file`)).toEqual(['file']);
  });
});

describe('PieceTable', () => {
  it('knows its pieces and nothing else', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 })),
        fc.string({ maxLength: 6 }),
        (pieces, other) => {
          const words = pieces.filter((piece) => !piece.startsWith('##'));
          const table = new PieceTable(words);
          for (const word of words) expect(table.has(word)).toBe(true);
          expect(table.has(other)).toBe(words.includes(other));
        },
      ),
    );
  });

  it.each(['__proto__', 'constructor', ''])('does not know %j unless it is there', (word) => {
    expect(new PieceTable(['get']).has(word)).toBe(false);
  });

  it('tells a piece at the start of a word from one that continues it', () => {
    const table = new PieceTable(['##hook', 'web']);
    expect(table.has('hook')).toBe(false);
    expect(splitPieces('webhook hook', table)).toEqual([1, 0]);
  });
});

/** The same rules by regular expressions and strings. */
function naiveSplit(text: string, vocabulary: readonly string[]): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  const bare = spaced
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[\u0300-\u036f]/g, '');
  const runs =
    bare
      .normalize('NFC')
      .match(/[a-z0-9]+|[\u0400-\u04ff]+|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+/g) ?? [];
  return runs.flatMap((run) => {
    if (/^[\u0400-\u04ff]/.test(run)) return longestBeginning(run);
    if (run.charCodeAt(0) > 0x7f) return longestPieces(run);
    return vocabulary.includes(run) ? [run] : (run.match(/[a-z]+/g) ?? []).flatMap(subwords);
  });

  function subwords(word: string): string[] {
    if (vocabulary.includes(word)) return [word];
    const found: string[] = [];
    for (let rest = word; rest !== ''; ) {
      const mark = rest === word ? '' : '##';
      const length = lengths(rest.length).find((size) => vocabulary.includes(mark + rest.slice(0, size)));
      if (length === undefined || word.length > 40) return [];
      found.push(mark + rest.slice(0, length));
      rest = rest.slice(length);
    }
    return found;
  }

  function longestBeginning(word: string): string[] {
    const length = lengths(Math.min(8, word.length)).find((size) => vocabulary.includes(word.slice(0, size)));
    return length === undefined ? [] : [word.slice(0, length)];
  }

  function longestPieces(run: string): string[] {
    const found: string[] = [];
    for (let rest = run; rest !== ''; ) {
      const length = lengths(Math.min(8, rest.length)).find((size) => vocabulary.includes(rest.slice(0, size)));
      if (length !== undefined) found.push(rest.slice(0, length));
      rest = rest.slice(length ?? 1);
    }
    return found;
  }
}

function lengths(most: number): number[] {
  return Array.from({ length: most }, (_, at) => most - at);
}
