import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWordPiece } from './word-piece.ts';

const PIECES = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'send',
  'mail',
  'em',
  '##bed',
  '##ding',
  '##s',
  'cafe',
  'naive',
  'e',
  '-',
  '.',
  ',',
  '$',
  '5',
  '(',
  ')',
  '[',
  ']',
  'cls',
  '发',
  '送',
  'a',
  '##b',
  '##c',
  'σ',
  '##σ',
  '##ο',
  'ο',
  '😀',
  'ᄒ',
  '##ᅡ',
  '##ᆫ',
  '。',
  'list',
  'issues',
  '_',
];

describe('createWordPiece', () => {
  const wordPiece = createWordPiece(PIECES.join('\n'));
  const split = (text: string, limit = 100): string[] =>
    wordPiece.split(text, limit).map((number) => PIECES[number] ?? '');
  const inside = (text: string): string[] => split(text).slice(1, -1);

  it('puts a text between its two marks', () => {
    expect(split('send')).toEqual(['[CLS]', 'send', '[SEP]']);
    expect(split('')).toEqual(['[CLS]', '[SEP]']);
  });

  it.each<[string, readonly string[]]>([
    ['Send MAIL', ['send', 'mail']],
    ['embeddings', ['em', '##bed', '##ding', '##s']],
    ['embedx', ['[UNK]']],
    ['Café naïve', ['cafe', 'naive']],
    ['Cafe\u0301', ['cafe']],
    ['e-mail.', ['e', '-', 'mail', '.']],
    ['list_issues', ['list', '_', 'issues']],
    ['$5', ['$', '5']],
    ['发送mail', ['发', '送', 'mail']],
    ['发。', ['发', '。']],
    ['한', ['ᄒ', '##ᅡ', '##ᆫ']],
    ['ΟΣ', ['ο', '##σ']],
    ['😀', ['😀']],
    ['a\u200bb', ['a', '##b']],
    ['send\u0000mail', ['[UNK]']],
    ['send\u00a0\u3000mail\tsend\nmail', ['send', 'mail', 'send', 'mail']],
    ['\ud800send\udc00', ['send']],
    ['\ufffdsend', ['send']],
    ['[CLS]', ['[', 'cls', ']']],
    [`a${'b'.repeat(99)}`, ['a', ...new Array(99).fill('##b')].slice(0, 98)],
    [`a${'b'.repeat(100)}`, ['[UNK]']],
    ['__proto__ constructor', ['_', '_', '[UNK]', '_', '_', '[UNK]']],
  ])('splits %j', (text, pieces) => {
    expect(inside(text)).toEqual(pieces);
  });

  it('cuts before the last mark, never in it', () => {
    expect(split('send mail send mail', 4)).toEqual(['[CLS]', 'send', 'mail', '[SEP]']);
    expect(split('send embeddings', 4)).toEqual(['[CLS]', 'send', 'em', '[SEP]']);
  });

  it('takes any text of any length', () => {
    fc.assert(
      fc.property(
        fc.uint16Array({ maxLength: 40 }).map((units) => String.fromCharCode(...units)),
        fc.integer({ min: 2, max: 40 }),
        (text, limit) => {
          const numbers = wordPiece.split(text.repeat(100), limit);
          expect(numbers.length).toBeLessThanOrEqual(limit);
          expect(numbers.every((number) => number >= 0 && number < PIECES.length)).toBe(true);
        },
      ),
    );
  });

  it('says which words are whole', () => {
    expect(['send', 'Send, mail!', 'embeddings', 'xyz', '发'].map((text) => wordPiece.isWhole(text))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('refuses a vocabulary of another kind', () => {
    expect(() => createWordPiece('<s>\n</s>')).toThrow('no piece [CLS]');
  });
});
