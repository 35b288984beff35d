import { beforeAll, describe, expect, it, vi } from 'vitest';
import { characterNamed, loadCharacterNames } from './character-names.ts';

describe('before the table is loaded', () => {
  it('names that follow a rule are known, and a pattern with another one is refused', async () => {
    vi.resetModules();
    const { compilePattern } = await import('../compile-pattern.ts');
    expect(compilePattern('\\N{CJK UNIFIED IDEOGRAPH-4E2D}').test('中')).toBe(true);
    expect(() => compilePattern('\\N{SNOWMAN}')).toThrow('The names of characters, for \\N{SNOWMAN}, are not loaded');
  });
});

beforeAll(loadCharacterNames);

describe('reading the table', () => {
  it('can pause many times, and happens once', async () => {
    vi.resetModules();
    const fresh = await import('./character-names.ts');
    await fresh.loadCharacterNames();
    expect([...fresh.prepareCharacterNames()].length).toBeGreaterThan(100);
    expect([...fresh.prepareCharacterNames()]).toHaveLength(0);
  });
});

describe('names as CPython 3.11 looks them up', () => {
  it.each([
    ['SPACE', 0x20],
    ['DIGIT ZERO', 0x30],
    ['SNOWMAN', 0x2603],
    ['TIBETAN LETTER -A', 0xf60],
    ['HANGUL JUNGSEONG O-E', 0x1180],
    ['HANGUL JUNGSEONG OE', 0x116c],
    ['BRAILLE PATTERN DOTS-12345678', 0x28ff],
    ['YI SYLLABLE YYR', 0xa48c],
    ['EGYPTIAN HIEROGLYPH A001', 0x13000],
    ['MELTING FACE', 0x1fae0],
    ['VARIATION SELECTOR-256', 0xe01ef],
  ])('%s', (name, code) => {
    expect(characterNamed(name)).toBe(code);
    expect(characterNamed(name.toLowerCase())).toBe(code);
  });

  it.each([
    ['a control character', 'NULL', 0x0],
    ['one whose name went to another', 'ALERT', 0x7],
    ['that other', 'BELL', 0x1f514],
    ['an abbreviation', 'NBSP', 0xa0],
    ['the last of them', 'vs256', 0xe01ef],
    ['a misspelled name', 'PRESENTATION FORM FOR VERTICAL RIGHT WHITE LENTICULAR BRAKCET', 0xfe18],
    ['its correction', 'PRESENTATION FORM FOR VERTICAL RIGHT WHITE LENTICULAR BRACKET', 0xfe18],
  ])('aliases: %s', (_, name, code) => {
    expect(characterNamed(name)).toBe(code);
  });

  it.each([
    ['CJK UNIFIED IDEOGRAPH-4E00', 0x4e00],
    ['CJK COMPATIBILITY IDEOGRAPH-2FA1D', 0x2fa1d],
    ['KHITAN SMALL SCRIPT CHARACTER-18CD5', 0x18cd5],
    ['nushu character-1b170', 0x1b170],
    ['HANGUL SYLLABLE HIH', 0xd7a3],
  ])('by rule: %s', (name, code) => {
    expect(characterNamed(name)).toBe(code);
  });

  it.each([
    ['newer than Unicode 14', 'SHAKING FACE'],
    ['an alias newer than Unicode 14', 'EM'],
    ['a sequence of characters', 'KEYCAP DIGIT ONE'],
    ['an ideograph that CPython does not name', 'TANGUT IDEOGRAPH-17000'],
    ['a leading zero', 'NUSHU CHARACTER-01B170'],
    ['past the end of its range', 'KHITAN SMALL SCRIPT CHARACTER-18CD6'],
    ['a space too many', 'SPACE '],
    ['a space too many inside', 'LATIN  SMALL LETTER A'],
    ['a letter that only looks alike in upper case', '\u017fNOWMAN'],
    ['a label', '<control>'],
    ['a property of objects', 'constructor'],
    ['nothing', ''],
  ])('unknown: %s', (_, name) => {
    expect(characterNamed(name)).toBeUndefined();
  });
});
