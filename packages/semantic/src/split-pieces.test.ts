import { describe, expect, it } from 'vitest';
import fixture from './pieces.fixture.json' with { type: 'json' };
import { splitPieces } from './split-pieces.ts';

describe('splitPieces', () => {
  const rows = new Map(fixture.vocabulary.map((piece, row) => [piece, row]));

  it.each(fixture.cases)('splits $text as training does', ({ text, pieces }) => {
    const found = splitPieces(text, rows).map((row) => fixture.vocabulary[row]);
    expect(found).toEqual(pieces);
  });

  it('passes over lone surrogates', () => {
    expect(splitPieces('\ud800file\udc00', rows).map((row) => fixture.vocabulary[row])).toEqual(['file']);
  });
});
