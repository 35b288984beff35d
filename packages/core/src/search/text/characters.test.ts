import { describe, expect, it } from 'vitest';
import { foldText, loadText, nameKey } from './characters.ts';

function read(text: string): string {
  const { units, length } = loadText(text);
  expect(units[length]).toBe(0x20);
  return Array.from(units.subarray(0, length), (unit) => String.fromCharCode(unit)).join('');
}

describe('loadText', () => {
  it.each([
    ['nothing', ''],
    ['a short text', 'get_user'],
    ['a long text', 'Lists the users of an account, newest first.'],
    ['a short text that is not ASCII', 'Café'],
    ['a long text that is not ASCII only at its end', 'Lists the users of an account, newest first…'],
    ['a lone surrogate', 'Lists the users \ud800 of an account'],
    ['a character that folds into many', '\ufdfa'.repeat(1_000)],
    ['a text that takes three bytes a character', '天'.repeat(10_000)],
    ['a text longer than any before it', 'word '.repeat(20_000)],
    ['a text as long as the first buffer', 'x'.repeat(4_096)],
  ])('gives %s folded, with a space after it', (_, text) => {
    expect(read(text)).toBe(foldText(text));
  });
});

describe('nameKey', () => {
  it.each([
    ['Get-Accounts!', 'getaccounts'],
    ['get_accounts', 'getaccounts'],
    ['"math.factorial"', 'mathfactorial'],
    ['Café №2', 'cafeno2'],
    ['ＡＰＩ', 'api'],
    ['天气 预报', '天气预报'],
    ['𠀀x', '𠀀x'],
    ['🚀', ''],
    ['\ud800', ''],
    ['', ''],
  ])('takes %j to %j', (name, key) => {
    expect(nameKey(name)).toBe(key);
  });

  it('is bounded', () => {
    expect(nameKey('a'.repeat(10_000))).toHaveLength(256);
  });
});

describe('foldText', () => {
  it.each([
    ['plain ASCII', 'plain ASCII'],
    ['Éclair', 'Eclair'],
    ['ﬁle', 'file'],
    ['がぎ', 'がぎ'],
    ['한국어', '한국어'],
    ['हिन्दी', 'हिन्दी'],
    ['İstanbul ı', 'Istanbul i'],
  ])('takes %j to %j', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });
});
