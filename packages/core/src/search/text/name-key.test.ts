import { describe, expect, it } from 'vitest';
import { foldText } from './fold-text.ts';
import { nameKey } from './name-key.ts';

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
