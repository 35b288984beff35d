import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

function oracle(chunks: readonly string[]): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

describe('sha256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('gives the standard answer for %j', (text, hash) => {
    expect(sha256([text])).toBe(hash);
  });

  it('pads right at every length around a block', () => {
    for (let length = 0; length <= 200; length++)
      expect(sha256(['x'.repeat(length)])).toBe(oracle(['x'.repeat(length)]));
  });

  it.each(['a', 'é', '語', '😀', 'a😀語é', '\ud800', 'x\udfffy'])('reads long runs of %j across its buffer', (unit) => {
    const text = unit.repeat(20_011);
    expect(sha256([text])).toBe(oracle([text]));
    expect(sha256(['!', text, text, '?'])).toBe(oracle(['!', text, text, '?']));
  });

  it('agrees with the platform on any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 })), (chunks) => {
        expect(sha256(chunks)).toBe(oracle(chunks));
      }),
    );
  });
});
