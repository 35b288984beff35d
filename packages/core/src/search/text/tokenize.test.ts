import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText } from './characters.ts';
import { PACKED_LETTERS, scanTokens, TOKEN_LIMITS, TokenKind, tokenize } from './tokenize.ts';

const words = (text: string): string[] =>
  tokenize(text)
    .filter((token) => token.kind === TokenKind.word)
    .map((token) => token.text);
const wholes = (text: string): string[] =>
  tokenize(text)
    .filter((token) => token.kind === TokenKind.whole)
    .map((token) => token.text);

describe('tokenize', () => {
  it.each([
    ['camelCase', 'getUserById', ['get', 'user', 'by', 'id'], ['getuserbyid']],
    ['PascalCase', 'GetAccounts', ['get', 'accounts'], ['getaccounts']],
    ['snake_case', 'get_accounts', ['get', 'accounts'], ['getaccounts']],
    ['SCREAMING_SNAKE', 'MAX_RETRY_COUNT', ['max', 'retry', 'count'], ['maxretrycount']],
    ['kebab-case', 'list-open-issues', ['list', 'open', 'issues'], ['listopenissues']],
    ['dots', 'chess.rating', ['chess', 'rating'], []],
    ['an acronym before a word', 'HTTPServer', ['http', 'server'], ['httpserver']],
    ['acronyms and digits', 'getURLFor2FA', ['get', 'url', 'for', '2', 'fa'], ['geturlfor2fa']],
    ['the plural of an acronym', 'listURLs', ['list', 'urls'], ['listurls']],
    ['digits', 'utf8 base64', ['utf', '8', 'base', '64'], ['utf8', 'base64']],
    ['mixed joiners', 'mcp__git-hub__get_me', ['mcp', 'git', 'hub', 'get', 'me'], ['github', 'getme']],
    ['a brand', 'GitHub', ['git', 'hub'], ['github']],
    ['a date', '2024-05-06', ['2024', '05', '06'], []],
    ['prose', 'Sends an e-mail, now!', ['sends', 'an', 'e', 'mail', 'now'], ['email']],
    ['apostrophes', "the user's file isn’t 'here'", ['the', 'user', 'file', 'isn', 'here'], []],
    ['accents', 'Café Zürich naïve', ['cafe', 'zurich', 'naive'], []],
    ['decomposed accents', 'Cafe\u0301', ['cafe'], []],
    ['letters that do not decompose', 'Straße Øre Łódź', ['strasse', 'ore', 'lodz'], []],
    ['full-width forms', 'ＧｅｔＵｓｅｒ　１２', ['get', 'user', '12'], ['getuser']],
    ['Cyrillic case', 'получитьСписок', ['получить', 'список'], ['получитьсписок']],
    ['Devanagari marks', 'मौसम की जानकारी', ['मौसम', 'की', 'जानकारी'], []],
    ['Han as pairs', '天气预报', ['天气', '气预', '预报'], []],
    ['kana with marks', 'データ', ['デー', 'ータ'], []],
    ['Hangul as pairs', '날씨 예보', ['날씨', '예보'], []],
    ['one Han character', '图', ['图'], []],
    ['Han beside Latin', '搜索API文档', ['搜索', 'api', '文档'], []],
    ['Han beyond the basic plane', '𠀀𠀁', ['𠀀𠀁'], []],
    ['only punctuation', '!? … — 🚀', [], []],
    ['a lone surrogate', 'a\ud800b', ['a', 'b'], []],
  ])('splits %s', (_, text, expectedWords, expectedWholes) => {
    expect(words(text)).toEqual(expectedWords);
    expect(wholes(text)).toEqual(expectedWholes);
  });

  it('joins over one joiner only, so that a double underscore ends an identifier', () => {
    expect(wholes('mcp__get_me')).toEqual(['getme']);
  });

  it('gives each character of an unspaced run beside its pairs', () => {
    expect(tokenize('天气').map(({ text, kind }) => [text, kind])).toEqual([
      ['天', TokenKind.character],
      ['天气', TokenKind.word],
      ['气', TokenKind.character],
    ]);
  });

  it('cuts huge tokens', () => {
    expect(tokenize('a'.repeat(100_000)).map(({ text }) => text.length)).toEqual([TOKEN_LIMITS.characters]);
  });

  it('gives a word the same tokens at any position', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 20 }), (list) => {
        expect(words(list.join(' '))).toEqual(list);
        expect(words(list.join('_'))).toEqual(list);
        expect(words(list.join(', '))).toEqual(list);
      }),
    );
  });

  it('splits capitalised words as if they were spaced', () => {
    const capitalised = fc.stringMatching(/^[A-Z][a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(capitalised, { minLength: 1, maxLength: 8 }), (list) => {
        expect(words(list.join(''))).toEqual(list.map((word) => word.toLowerCase()));
      }),
    );
  });

  it('reads a text like the folded text, wherever its first non-ASCII character is', () => {
    const piece = fc.constantFrom(
      ...['plain', 'Word', ' ', '-', "'s", '’s', 'é', 'e\u0301', 'ﬁ', 'ＡＢ', '天', '_', '3', '½', '😀', '.'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        expect(tokenize(pieces.join(''))).toEqual(tokenize(foldText(pieces.join(''))));
      }),
    );
  });

  it('packs a word so that it can be unpacked', () => {
    const unpack = (packed: number): string =>
      packed === 0 ? '' : unpack(packed >>> 5) + String.fromCharCode(0x60 + (packed & 31));
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,16}$/), { maxLength: 12 }), (list) => {
        const given: string[] = [];
        scanTokens(list.join(' '), {
          seed: 0,
          token: (characters, length) => given.push(String.fromCharCode(...characters.subarray(0, length))) > 0,
          packedWord: (_, length, first, second) => {
            expect(length).toBeLessThanOrEqual(PACKED_LETTERS);
            return given.push(unpack(first) + unpack(second)) > 0;
          },
        });
        expect(given).toEqual(list);
      }),
    );
  });

  it('accepts any text, without empty tokens or spaces in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const token of tokenize(text)) {
          expect(token.text).toMatch(/^[^\s]+$/u);
          expect(token.text.length).toBeLessThanOrEqual(TOKEN_LIMITS.characters);
        }
      }),
    );
  });
});
