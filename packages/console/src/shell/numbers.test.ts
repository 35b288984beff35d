import { describe, expect, it } from 'vitest';
import { money, signed, signedShort } from './numbers.ts';

describe('figures', () => {
  it.each([
    [1_173.4, '+$1,173'],
    [-0.42, '−$0.42'],
    [-0.0034, '−$0.003'],
    [0.000_02, '+<$0.0001'],
    [0, '$0'],
  ])('show an amount with its sign, however small: %d', (dollars, text) => {
    expect(money(dollars)).toBe(text);
  });

  it.each([
    [32_418, '+32,418', '+32.4 k'],
    [-1_405, '−1,405', '−1,405'],
    [401_000_000, '+401,000,000', '+401.0 M'],
    [0, '0', '0'],
  ])('show tokens with their sign: %d', (tokens, whole, short) => {
    expect([signed(tokens), signedShort(tokens)]).toEqual([whole, short]);
  });
});
